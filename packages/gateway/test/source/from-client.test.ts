import { Client, StreamableHTTPClientTransport, type ClientOptions } from 'crosspoint/client';
import { McpServer, text, type Mounted } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { fromClient, type FromClientOptions, type UpstreamCaller } from '../../src/index.ts';
import { CARRIERS, FAMILIES, closeAll, lines, serveHttp, serveOver, type CarrierName } from '../carriers.ts';

type Family = (typeof FAMILIES)[number];

afterEach(closeAll);

const NAME = z.object({ name: z.string() });

/** The server behind: knows which session of it was used. */
function upstream(): McpServer {
  const server = new McpServer({ name: 'up', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }, ctx) => {
    ctx.progress(1, 2);
    return text(String(a + b));
  });
  server.registerTool('greet', {}, async (ctx) => {
    const first = await ctx.elicit({ message: 'Who?', schema: NAME });
    const second = await ctx.elicit({ message: 'And?', schema: NAME });
    return text([first, second].map((answer) => (answer.action === 'accept' ? answer.content.name : '-')).join(' '));
  });
  server.registerTool('meta', {}, (ctx) => text(JSON.stringify(ctx._meta ?? {})));
  server.registerPrompt('haiku', { argsSchema: { about: z.string() } }, ({ about }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: about } }],
  }));
  server.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'one' }] }));
  return server;
}

interface Face {
  readonly where: string;
  readonly server: McpServer;
  readonly mounted: Mounted;
  readonly made: Client[];
  readonly callers: UpstreamCaller[];
  readonly problems: string[];
}

/** A server on which another one is mounted, with a client for each caller. */
async function face(
  up: McpServer,
  { carrier = 'http', family, ...options }: { carrier?: CarrierName; family: Family } & FromClientOptions,
): Promise<Face> {
  const far = await serveOver(carrier, up);
  const server = new McpServer({ name: 'office', version: '1.0.0' });
  const [made, callers, problems]: [Client[], UpstreamCaller[], string[]] = [[], [], []];
  server.server.onerror = ({ message }) => problems.push(message);
  server.registerTool('own', {}, () => text('own'));
  const source = fromClient(
    async (client, one) => {
      callers.push(one);
      await client.connect(typeof far === 'string' ? far : ((await lines(far)) as never));
      made.push(client);
    },
    { client: { revisions: family }, onproblem: ({ message }) => problems.push(message), ...options },
  );
  const mounted = await mount(server, 'up', source);
  const where = await serveHttp(server, { principal: (_token, request) => request.header('x-name') });
  return { where, server, mounted, made, callers, problems };
}

async function caller(where: string, name: string, revisions: Family, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name, version: '1' }, { revisions, cache: false, ...options });
  const requestInit = { headers: { 'x-name': name } };
  await client.connect(new StreamableHTTPClientTransport(new URL(where), { requestInit }));
  return client;
}

const asked = (client: Client, answer: string): Client => {
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: answer } }));
  return client;
};
const ASKABLE = { capabilities: { elicitation: { form: {} } } };
const tools = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

const MATRIX = FAMILIES.flatMap((down) =>
  CARRIERS.flatMap((carrier) => FAMILIES.map((family) => ({ down, carrier, family }))),
);

describe.each(MATRIX)('a caller of $down, a server of $family over $carrier', ({ down, carrier, family }) => {
  it('is offered what the server has, and gets its answers', async () => {
    const { where, mounted, made, callers, problems } = await face(upstream(), { carrier, family });
    const ann = await caller(where, 'ann', down);
    expect(await tools(ann)).toEqual(['own', 'up_add', 'up_greet', 'up_meta']);
    const progress: number[] = [];
    const sum = await ann.callTool(
      { name: 'up_add', arguments: { a: 1, b: 2 } },
      { onprogress: (value) => progress.push(value.progress) },
    );
    expect(sum).toMatchObject(text('3'));
    await vi.waitFor(() => expect(progress).toEqual([1]));
    expect(await ann.getPrompt({ name: 'up_haiku', arguments: { about: 'rain' } })).toMatchObject({
      messages: [{ content: { text: 'rain' } }],
    });
    expect((await ann.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'one' }]);
    const ref = { type: 'ref/prompt', name: 'up_haiku' } as const;
    expect((await ann.complete({ ref, argument: { name: 'about', value: '' } })).completion.values).toEqual([]);
    const foreign = JSON.stringify(await ann.callTool({ name: 'up_meta', _meta: { 'acme/kept': 1 } } as never));
    expect(foreign).toContain('acme/kept');
    await expect(ann.callTool({ name: 'up_nothing' })).rejects.toThrow('Unknown tool');
    expect((await ann.callTool({ name: 'up_add', arguments: { a: 1 } })).isError).toBe(true);
    expect(callers.map(({ principal }) => principal)).toEqual(['ann']);
    expect(problems).toEqual([]);
    await ann.close();
    await mounted.unmount();
    expect(made.every((client) => client.transport === undefined)).toBe(true);
  });

  it('is asked what the server wants to know', async () => {
    const { where, mounted } = await face(upstream(), { carrier, family });
    const [ann, bob] = [await caller(where, 'ann', down, ASKABLE), await caller(where, 'bob', down, ASKABLE)];
    const [first, second] = await Promise.all([
      asked(ann, 'Ann').callTool({ name: 'up_greet' }),
      asked(bob, 'Bob').callTool({ name: 'up_greet' }),
    ]);
    expect(first).toMatchObject(text('Ann Ann'));
    expect(second).toMatchObject(text('Bob Bob'));
    await Promise.all([ann.close(), bob.close()]);
    await mounted.unmount();
  });
});

describe.each(FAMILIES)('the clients of callers, server of %s', (family) => {
  it('are one for each, connected once, and reused', async () => {
    const { where, callers, mounted } = await face(upstream(), { family });
    const [ann, bob] = [await caller(where, 'ann', 'per-request'), await caller(where, 'bob', 'handshake')];
    await Promise.all([
      tools(ann),
      tools(ann),
      ann.callTool({ name: 'up_add', arguments: { a: 1, b: 1 } }),
      tools(bob),
    ]);
    await ann.callTool({ name: 'up_meta' });
    expect(callers.map(({ principal }) => principal).toSorted()).toEqual(['ann', 'bob']);
    await Promise.all([ann.close(), bob.close()]);
    await mounted.unmount();
  });

  it('are bounded: an unused one makes room, and a request is refused when all are used', async () => {
    const up = upstream();
    let go = (): void => {};
    const waits = new Promise<void>((resolve) => (go = resolve));
    let isRunning = false;
    up.registerTool('wait', {}, async () => {
      isRunning = true;
      await waits;
      return text('done');
    });
    const { where, made, mounted } = await face(up, { family, sessions: { atMost: 1 } });
    const [ann, bob] = [await caller(where, 'ann', 'per-request'), await caller(where, 'bob', 'per-request')];
    const running = ann.callTool({ name: 'up_wait' });
    await vi.waitFor(() => expect(isRunning).toBe(true));
    expect(await tools(bob)).toEqual(['own']);
    await expect(bob.callTool({ name: 'up_add', arguments: { a: 1, b: 1 } })).rejects.toThrow('opens no more');
    go();
    expect(await running).toMatchObject(text('done'));
    expect(await tools(bob)).toContain('up_add');
    await vi.waitFor(() => expect(made.map(({ transport }) => transport !== undefined)).toEqual([false, true]));
    await Promise.all([ann.close(), bob.close()]);
    await mounted.unmount();
  });

  it('are closed when they are not used for a while, and made again', async () => {
    const { where, made, mounted } = await face(upstream(), { family, sessions: { idleMs: 20 } });
    const ann = await caller(where, 'ann', 'per-request');
    await tools(ann);
    await vi.waitFor(() => expect(made[0]?.transport).toBeUndefined());
    expect(await tools(ann)).toContain('up_add');
    expect(made).toHaveLength(2);
    await ann.close();
    await mounted.unmount();
  });

  it('are replaced when they have ended', async () => {
    const { where, made, mounted } = await face(upstream(), { family });
    const ann = await caller(where, 'ann', 'per-request');
    await tools(ann);
    await made[0]?.close();
    expect(await ann.callTool({ name: 'up_add', arguments: { a: 1, b: 1 } })).toMatchObject(text('2'));
    expect(made).toHaveLength(2);
    await ann.close();
    await mounted.unmount();
  });

  it('tell the changes of their server to their caller alone', async () => {
    const up = upstream();
    const ups = new Map<string, McpServer>([
      ['ann', up],
      ['bob', upstream()],
    ]);
    const addresses = new Map<string, string>();
    for (const [name, one] of ups) addresses.set(name, await serveHttp(one));
    const server = new McpServer({ name: 'office', version: '1.0.0' });
    const mounted = await mount(
      server,
      'up',
      fromClient((client, { principal = '' }) => client.connect(addresses.get(principal) ?? ''), {
        client: { revisions: family },
      }),
    );
    const where = await serveHttp(server, { principal: (_token, request) => request.header('x-name') });
    const told: string[] = [];
    const listening = async (name: string): Promise<Client> => {
      const client = await caller(where, name, 'per-request');
      await client.watch({ tools: true }, { onchange: () => void told.push(name) });
      await tools(client);
      return client;
    };
    const [ann, bob] = [await listening('ann'), await listening('bob')];
    await vi.waitFor(async () => {
      up.registerTool(`late${told.length}${Math.random()}`.replace('.', ''), {}, () => text('late'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(told).toContain('ann');
    });
    expect((await tools(ann)).some((name) => name.startsWith('up_late'))).toBe(true);
    expect((await tools(bob)).some((name) => name.startsWith('up_late'))).toBe(false);
    expect(told).not.toContain('bob');
    await Promise.all([ann.close(), bob.close()]);
    await mounted.unmount();
  });
});

describe('callbacks of the program', () => {
  it('that fail, or never answer, take nothing from others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const up = await serveHttp(upstream());
      const server = new McpServer({ name: 'office', version: '1.0.0' });
      const problems: string[] = [];
      server.server.onerror = ({ message }) => problems.push(message);
      server.registerTool('own', {}, () => text('own'));
      const late: Client[] = [];
      let connect = (): void => {};
      const source = fromClient(
        async (client, { principal }) => {
          if (principal === 'slow') await new Promise<void>((resolve) => (connect = resolve));
          await client.connect(up);
          if (principal === 'slow') late.push(client);
        },
        {
          groupOf: () => {
            throw new Error('no group');
          },
          onproblem: () => {
            throw new Error('cannot be told');
          },
        },
      );
      await mount(server, 'up', source);
      const where = await serveHttp(server, { principal: (_token, request) => request.header('x-name') });
      const [slow, ann] = [await caller(where, 'slow', 'per-request'), await caller(where, 'ann', 'per-request')];
      const listed = tools(slow);
      expect(await tools(ann)).toContain('up_add');
      await vi.waitFor(() => expect(String(connect)).not.toBe('() => {}'));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await listed).toEqual(['own']);
      await vi.advanceTimersByTimeAsync(20_000);
      connect();
      await vi.waitFor(() => expect(late.map(({ transport }) => transport)).toEqual([undefined]));
      expect(problems[0]).toContain('did not say what it offers');
      await Promise.all([slow.close(), ann.close()]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a caller whose client cannot be connected', () => {
  it('is told so, keeps the rest, and is connected when that works again', async () => {
    const up = await serveHttp(upstream());
    const server = new McpServer({ name: 'office', version: '1.0.0' });
    const problems: string[] = [];
    server.server.onerror = ({ message }) => problems.push(message);
    server.registerTool('own', {}, () => text('own'));
    let isDown = true;
    await mount(
      server,
      'up',
      fromClient(async (client) => {
        if (isDown) throw new Error('no route: token abc');
        await client.connect(up);
      }),
    );
    const ann = await caller(await serveHttp(server), 'ann', 'per-request');
    expect(await tools(ann)).toEqual(['own']);
    const refused = await ann.callTool({ name: 'up_add' }).catch(({ message }: Error) => message);
    expect(refused).toContain('cannot be reached now');
    expect(refused).not.toContain('abc');
    expect(problems[0]).toContain('no route');
    isDown = false;
    expect(await tools(ann)).toContain('up_add');
    await ann.close();
  });
});
