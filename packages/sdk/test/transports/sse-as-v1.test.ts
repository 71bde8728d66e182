import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { listen } from '../listening.ts';
import { OURS, sameWithBoth, type Library } from './both-libraries.ts';
import { ask, call, initialize, type Asked } from './raw-http.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

type Options = ConstructorParameters<Library['Sse']>[2] & { endpoint?: string; auth?: Record<string, string> };

interface Served {
  readonly url: string;
  readonly told: string[];
  readonly seen: unknown[];
  readonly closed: string[];
  readonly sessionId: string;
  /** The events of the stream so far, with the id of the session replaced. */
  stream(): string;
  leave(): void;
}

/** A client that has opened its stream. `auth` says who a request with a header `x-caller` comes from. */
async function serve(library: Library, { endpoint = '/messages', auth, ...options }: Options = {}): Promise<Served> {
  const told: string[] = [];
  const seen: unknown[] = [];
  const closed: string[] = [];
  const server = new library.McpServer({ name: 'pair', version: '1' });
  server.registerTool('look', {}, async ({ requestInfo }) => {
    seen.push(requestInfo?.headers['x-mark'], requestInfo?.url?.pathname, [
      ...(requestInfo?.url?.searchParams.keys() ?? []),
    ]);
    return { content: [{ type: 'text', text: 'looked' }] };
  });
  let transport: InstanceType<Library['Sse']> | undefined;
  const listening = await listen((request, response) => {
    const clientId = auth?.[String(request.headers['x-caller'])];
    if (clientId !== undefined) Object.assign(request, { auth: { token: 't', clientId, scopes: [] } });
    if (request.method === 'POST') return void transport?.handlePostMessage(request, response).catch(() => {});
    const made = new library.Sse(endpoint, response, options);
    made.onerror = (error) => told.push(error.message.startsWith('[') ? 'what the schema says' : error.message);
    made.onclose = () => closed.push('closed');
    transport = made;
    void server.connect(made);
  });
  open.push(listening, { close: () => server.close() });
  const stream = await ask(listening.url, { method: 'GET', headers: { 'x-caller': 'ada' } });
  await until(() => stream.text().includes('\n\n'));
  const sessionId = transport?.sessionId ?? '';
  const text = (): string => stream.text().replaceAll(sessionId, 'the-session');
  return { url: listening.url, told, seen, closed, sessionId, stream: text, leave: () => stream.leave() };
}

async function post({ url, sessionId }: Served, asked: Asked): Promise<unknown[]> {
  const answer = await ask(url, { path: `/messages?sessionId=${sessionId}&b=1`, ...asked });
  return [answer.status, await answer.whole];
}

describe('the pair of endpoints', () => {
  it.each(['/messages', '/messages?a=1', '/messages#part', '/messages?a=1#part', '/', ''])(
    'names its endpoint: %s',
    async (endpoint) => {
      await sameWithBoth(async (library) => (await serve(library, { endpoint })).stream());
    },
  );

  it('takes messages and answers on its stream', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library);
      const answers = [
        await post(served, { body: initialize() }),
        await post(served, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
        await post(served, { headers: { 'x-mark': 'here' }, body: call(2, 'look') }),
      ];
      await until(() => served.stream().includes('looked'));
      served.leave();
      await until(() => served.closed.length > 0);
      return [answers, served.seen, served.told];
    });
  });

  it.each<[string, Asked]>([
    ['another type', { headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['no JSON', { body: '{' }],
    ['no message', { body: { method: 'call', params: [1], id: 1 } }],
    ['a body that is too large', { body: JSON.stringify({ a: 'x'.repeat(4 * 1024 * 1024) }) }],
  ])('refuses %s as v1 does', async (_, asked) => {
    await sameWithBoth(async (library) => {
      const served = await serve(library);
      const [status, text] = await post(served, asked);
      // The class of the error is not that of v1 for a body that is too large.
      return [status, String(text).replace('PayloadTooLarge', ''), served.told];
    });
  });

  it('refuses hosts and origins that are not on the lists', async () => {
    const options = {
      enableDnsRebindingProtection: true,
      allowedHosts: ['tools.example'],
      allowedOrigins: ['https://app.example'],
    };
    const saw = await sameWithBoth(async (library) => {
      const served = await serve(library, options);
      const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
      return [
        await post(served, { headers: { host: 'tools.example' }, body }),
        await post(served, { headers: { host: 'evil.example' }, body }),
        await post(served, { headers: { host: 'tools.example', origin: 'https://evil.example' }, body }),
        served.told,
      ];
    });
    expect(saw[2]).toEqual([403, 'Invalid Origin header: https://evil.example']);
  });

  it('is not there for a message before its start, nor after its end', async () => {
    await sameWithBoth(async (library) => {
      const outcomes: unknown[] = [];
      const listening = await listen((request, response) => {
        if (request.method === 'GET') return;
        const transport = new library.Sse('/messages', response);
        void transport.handlePostMessage(request, response).catch((error: unknown) => {
          outcomes.push((error as Error).message);
        });
      });
      open.push(listening);
      const answer = await ask(listening.url, { body: initialize() });
      outcomes.push(answer.status, await answer.whole);
      return outcomes;
    });
  });
});

it('a stream is not there for another caller than the one who opened it', async () => {
  const served = await serve(OURS, { auth: { ada: 'a', bob: 'b' } });
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await post(served, { headers: { 'x-caller': 'ada' }, body })).toEqual([202, 'Accepted']);
  expect(await post(served, { headers: { 'x-caller': 'bob' }, body })).toEqual([404, 'Session not found']);
  expect(await post(served, { body })).toEqual([404, 'Session not found']);
});
