import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { OutboundError, shownAddress } from '../../../src/auth/outbound/outbound-error.ts';
import { findConnector, pinnedRequest, type Connector } from '../../../src/auth/outbound/pinned-request.ts';
import { joinBytes, readBounded } from '../../../src/auth/outbound/read-bounded.ts';

interface Tried {
  readonly scheme: string;
  readonly options: Record<string, unknown>;
  readonly body: unknown;
  readonly silence: number | undefined;
}

interface Incoming {
  statusCode: number | undefined;
  rawHeaders: readonly string[];
  emit(event: string, value?: unknown): boolean;
  destroy(): void;
  /** Hands itself over, as the first byte of an answer does. */
  answer(): void;
}

interface Outgoing {
  emit(event: string, value?: unknown): boolean;
  listenerCount(event: string): number;
}

type Play = (incoming: Incoming, outgoing: Outgoing, fall: () => void) => void;

/** A connector whose connections do what the next of `plays` says. */
function connectorOf(...plays: Play[]): { connector: Connector; tried: Tried[] } {
  const tried: Tried[] = [];
  const left = [...plays];
  const moduleFor = (scheme: string): unknown => ({
    request: (options: Record<string, unknown>, take: (incoming: unknown) => void) => {
      let fall = (): void => {};
      let silence: number | undefined;
      const outgoing = Object.assign(new EventEmitter(), {
        setTimeout: (ms: number, run: () => void) => ((silence = ms), (fall = run)),
        destroy: (error: Error) => outgoing.emit('error', error),
        end: (body: unknown) => {
          tried.push({ scheme, options, body, silence });
          const incoming: Incoming = Object.assign(new EventEmitter(), {
            statusCode: 200,
            rawHeaders: [],
            destroy: () => {},
            answer: () => take(incoming),
          });
          queueMicrotask(() => left.shift()?.(incoming, outgoing, () => fall()));
        },
      });
      return outgoing;
    },
  });
  const dns = { promises: { lookup: async () => [{ address: '93.184.216.34' }] } };
  return { connector: { http: moduleFor('http'), https: moduleFor('https'), dns } as unknown as Connector, tried };
}

const ok: Play = (incoming) => {
  incoming.answer();
  incoming.emit('data', Uint8Array.of(104, 105));
  incoming.emit('end');
};
const failing =
  (code: string | undefined): Play =>
  (_incoming, outgoing) =>
    outgoing.emit('error', Object.assign(new Error('failed'), code === undefined ? {} : { code }));

const send = (
  connector: Connector,
  address = 'https://mcp.example/a?b=1',
  addresses = ['93.184.216.34'],
): Promise<Response> =>
  pinnedRequest(
    new URL(address),
    {
      method: 'GET',
      headers: new Headers({ 'x-a': '1' }),
      body: undefined,
      signal: new AbortController().signal,
      maxBytes: 10,
    },
    { resolve: async () => addresses, loopback: true },
    connector,
  );

describe('a request to a checked address', () => {
  it('goes to the address, with the name of the host in its header and for its certificate', async () => {
    const { connector, tried } = connectorOf(ok);
    expect(await (await send(connector)).text()).toBe('hi');
    expect(tried).toMatchObject([
      {
        scheme: 'https',
        silence: undefined,
        options: {
          host: '93.184.216.34',
          port: 443,
          path: '/a?b=1',
          servername: 'mcp.example',
          agent: false,
          headers: { Host: 'mcp.example', 'x-a': '1', 'accept-encoding': 'identity' },
        },
      },
    ]);
  });

  it.each([
    ['http://mcp.example/', 'http', 80, undefined],
    ['http://mcp.example:8080/', 'http', 8080, undefined],
    ['https://mcp.example:8443/', 'https', 8443, 'mcp.example'],
    ['https://93.184.216.34/', 'https', 443, undefined],
    ['https://[2606:2800:220:1::1]/', 'https', 443, undefined],
    ['https://1.2.3.4.example/', 'https', 443, '1.2.3.4.example'],
    ['https://example.1a/', 'https', 443, 'example.1a'],
  ])('of %s is sent by %s to port %d, for the name %s', async (address, scheme, port, servername) => {
    const { connector, tried } = connectorOf(ok);
    await send(connector, address);
    expect(tried[0]).toMatchObject({ scheme, options: { port } });
    expect(tried[0]?.options['servername']).toBe(servername);
  });

  it('asks the system for the addresses where the policy has no resolver', async () => {
    const { connector, tried } = connectorOf(ok);
    const request = {
      method: 'GET',
      headers: new Headers(),
      body: undefined,
      signal: new AbortController().signal,
      maxBytes: 10,
    };
    await pinnedRequest(new URL('https://mcp.example/'), request, {}, connector);
    expect(tried[0]?.options['host']).toBe('93.184.216.34');
  });

  it.each(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT', 'EAFNOSUPPORT'])(
    'tries the next address after %s',
    async (code) => {
      const { connector, tried } = connectorOf(failing(code), ok);
      await send(connector, undefined, ['93.184.216.34', '93.184.216.35']);
      expect(tried.map(({ options, silence }) => [options['host'], silence])).toEqual([
        ['93.184.216.34', 3000],
        ['93.184.216.35', undefined],
      ]);
      const last = connectorOf(failing(code), failing(code));
      await expect(send(last.connector, undefined, ['93.184.216.34', '93.184.216.35'])).rejects.toMatchObject({ code });
    },
  );

  it.each(['ECONNRESET', undefined])(
    'tries no other address after %s: the request may have been carried out',
    async (code) => {
      const { connector, tried } = connectorOf(failing(code), ok);
      await expect(send(connector, undefined, ['93.184.216.34', '93.184.216.35'])).rejects.toThrow('failed');
      expect(tried).toHaveLength(1);
    },
  );

  it('leaves an address that stays silent for another, but not one that has answered', async () => {
    const { connector, tried } = connectorOf((_incoming, _outgoing, fall) => fall(), ok);
    expect(await (await send(connector, undefined, ['93.184.216.34', '93.184.216.35'])).text()).toBe('hi');
    expect(tried).toHaveLength(2);
    const answered = connectorOf((incoming, outgoing, fall) => {
      incoming.answer();
      fall();
      incoming.emit('end');
      expect(outgoing.listenerCount('error')).toBe(1);
    });
    expect((await send(answered.connector, undefined, ['93.184.216.34', '93.184.216.35'])).status).toBe(200);
    expect(answered.tried).toHaveLength(1);
  });

  it('fails where one of the addresses is forbidden, before anything is sent', async () => {
    const { connector, tried } = connectorOf(ok);
    await expect(send(connector, undefined, ['93.184.216.34', '10.0.0.1'])).rejects.toMatchObject({ fault: 'address' });
    expect(tried).toEqual([]);
  });
});

describe('an answer', () => {
  const answered = (more: (incoming: Incoming) => void): Promise<Response> =>
    send(
      connectorOf((incoming) => {
        incoming.answer();
        more(incoming);
      }).connector,
    );

  it('keeps its headers, each as often as it came', async () => {
    const { headers } = await answered((incoming) => {
      incoming.rawHeaders = ['A', '1', 'a', '2', 'B', '3', 'odd'];
      incoming.emit('end');
    });
    expect([headers.get('a'), headers.get('b'), headers.has('odd')]).toEqual(['1, 2', '3', false]);
  });

  it.each([100, 199, 600, undefined])('with the status %s is none', async (status) => {
    const answer = answered((incoming) => {
      incoming.statusCode = status;
      incoming.emit('end');
    });
    await expect(answer).rejects.toMatchObject({
      fault: 'network',
      message: expect.stringContaining(`it was answered with the status ${status ?? 0}`) as string,
    });
  });

  it.each([200, 599])('with the status %d is one', async (status) => {
    const answer = answered((incoming) => {
      incoming.statusCode = status;
      incoming.emit('end');
    });
    expect((await answer).status).toBe(status);
  });

  it('that breaks off or fails is none', async () => {
    await expect(answered((incoming) => void incoming.emit('aborted'))).rejects.toMatchObject({
      fault: 'network',
      message: expect.stringContaining('ended before it was complete') as string,
    });
    await expect(answered((incoming) => void incoming.emit('error', new Error('reset')))).rejects.toThrow('reset');
  });

  it('of exactly the limit is taken, and one byte more ends the connection', async () => {
    const chunks = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6, 7, 8, 9, 10)];
    const whole = await answered((incoming) => {
      for (const chunk of chunks) incoming.emit('data', chunk);
      incoming.emit('end');
    });
    expect([...new Uint8Array(await whole.arrayBuffer())]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let isGone = false;
    const large = answered((incoming) => {
      incoming.destroy = () => void (isGone = true);
      for (const chunk of [...chunks, Uint8Array.of(11)]) incoming.emit('data', chunk);
    });
    await expect(large).rejects.toMatchObject({ fault: 'too-large' });
    expect(isGone).toBe(true);
  });

  it('read by a given fetch has the same limit', async () => {
    const streamed = (...sizes: number[]): Response =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const [index, size] of sizes.entries()) controller.enqueue(new Uint8Array(size).fill(index + 1));
            controller.close();
          },
        }),
      );
    expect([...((await readBounded(streamed(2, 1, 2), 5)) ?? [])]).toEqual([1, 1, 2, 3, 3]);
    expect(await readBounded(streamed(2, 1, 3), 5)).toBeUndefined();
    expect([...((await readBounded(new Response(null), 5)) ?? [1])]).toEqual([]);
    expect([...joinBytes([Uint8Array.of(1), Uint8Array.of(2, 3), Uint8Array.of(4)], 4)]).toEqual([1, 2, 3, 4]);
  });
});

describe('the connector', () => {
  it('is there in Node, and not in Workers, where names cannot be resolved', () => {
    expect(Object.keys(findConnector() ?? {})).toEqual(['http', 'https', 'dns']);
    const known = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Cloudflare-Workers' }, configurable: true });
    try {
      expect(findConnector()).toBeUndefined();
    } finally {
      if (known) Object.defineProperty(globalThis, 'navigator', known);
      else Reflect.deleteProperty(globalThis, 'navigator');
    }
  });
});

describe('an address in an error', () => {
  it.each([
    ['https://user:secret@as.example:8443/token?code=secret#secret', 'https://as.example:8443/token'],
    ['data:text/plain,secret', 'data:…'],
    ['no address', 'an invalid address'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
    const error = new OutboundError('scheme', url, 'why');
    expect([error.name, error.url, error.message]).toEqual(['OutboundError', shown, `${shown} was not loaded: why.`]);
  });
});
