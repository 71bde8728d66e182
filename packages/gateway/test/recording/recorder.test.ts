import { PassThrough } from 'node:stream';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSession, type SessionLine } from '@crosspoint/recording';
import { StreamableHTTPClientTransport } from 'crosspoint/client';
import { StdioServerTransport } from 'crosspoint/server/stdio';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { record, type BridgeRecorder, type Upstream } from '../../src/index.ts';
import { closeAll, faceOf, newClient, serve, upstreamServer } from './relay.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'crosspoint-recorder-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
afterEach(closeAll);

type MessageLine = Extract<SessionLine, { kind: 'message' }>;

async function linesOf(source: Parameters<typeof readSession>[0]): Promise<SessionLine[]> {
  const session = await readSession(source);
  const lines: SessionLine[] = [];
  for await (const line of session) lines.push(line);
  expect(session.end).toMatchObject({ torn: undefined });
  return lines;
}

const messagesOn = (lines: readonly SessionLine[], hop: string): MessageLine[] =>
  lines.filter((line) => line.kind === 'message').filter((line) => line.hop === hop);

/** `method?` for requests, `method` for notifications, `result` and `error` for answers, with where they go. */
function said({ message, to }: MessageLine): string {
  const { method, id, error } = message as { method?: string; id?: unknown; error?: object };
  const what = method === undefined ? (error ? 'error' : 'result') : id === undefined ? method : `${method}?`;
  return to === 'server' ? `→ ${what}` : `← ${what}`;
}

const CALLER = 'caller-access-token-1';

/** A client, a relay over HTTP and a server over HTTP, both hops recorded. */
async function relayed(recorder: BridgeRecorder): Promise<ReturnType<typeof newClient>> {
  const inner = newClient();
  const address = await serve(upstreamServer());
  await inner.connect(recorder.up(new StreamableHTTPClientTransport(address)));
  const authenticate = (): object => ({ token: CALLER, clientId: 'ada', scopes: [] });
  const url = await serve(faceOf(inner), { tap: recorder.down.handler, authenticate: authenticate as never });
  const client = newClient();
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { user: 'ada', word: 'hunter2' },
  }));
  await client.connect({ url, requestInit: { headers: { Authorization: `Bearer ${CALLER}` } } });
  return client;
}

describe('a relay over HTTP', () => {
  it('is recorded on both hops, into a file, with its secrets masked', async () => {
    const path = join(FOLDER, 'both.jsonl');
    const file = createWriteStream(path);
    const recorder = record(file, { hops: { client: { transport: 'http' }, server: { transport: 'http' } } });
    const client = await relayed(recorder);
    await client.callTool({ name: 'greet' });
    expect(await client.request({ method: 'acme/login' })).toMatchObject({ welcome: 'ada' });
    recorder.stderr('server says API_KEY=abcdef');
    await closeAll();
    expect(await recorder.close()).toMatchObject({ dropped: 0, isComplete: true });
    file.end();

    const lines = await linesOf(createReadStream(path));
    for (const hop of ['client', 'server']) {
      const seen = messagesOn(lines, hop).map(said);
      expect(seen).toEqual(
        expect.arrayContaining([
          '→ initialize?',
          '→ notifications/initialized',
          '→ tools/call?',
          '→ acme/login?',
          '← elicitation/create?',
          '→ result',
          '← result',
        ]),
      );
      // Only a server asks, and only a client calls.
      expect(seen).not.toContain('← tools/call?');
      expect(seen).not.toContain('→ elicitation/create?');
    }
    const answers = lines.filter(
      (line) => line.kind === 'message' && line.to === 'server' && said(line) === '→ result',
    );
    expect(answers.map((line) => (line as MessageLine).message)).toMatchObject([
      { result: { action: 'accept', content: { user: 'ada', word: '[redacted]' } } },
      { result: { action: 'accept', content: { user: 'ada', word: '[redacted]' } } },
    ]);
    const text = JSON.stringify(lines);
    for (const secret of [CALLER, 'hunter2', 'abcdef']) expect(text).not.toContain(secret);
    expect(text).not.toContain(client.transport?.sessionId ?? 'none');
    const sessions = new Set(messagesOn(lines, 'server').map(({ session }) => session));
    expect(sessions.size).toBe(2);
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'connected', hop: 'server', connection: 1 }));
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'closed', hop: 'server', connection: 1 }));
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'stderr', text: 'server says API_KEY=[redacted]' }));
  });

  it.each([
    ['fails', () => Promise.reject(new Error('disk full'))],
    ['is stuck', () => new Promise(() => {})],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('is not disturbed by a sink that %s', async (_what, sink) => {
    const recorder = record(sink, { maxQueued: 100 });
    const client = await relayed(recorder);
    const { content } = await client.callTool({ name: 'greet' });
    expect(content).toMatchObject([{ text: 'Hello.' }]);
    expect(recorder.session.dropped).toBeGreaterThan(5);
  });
});

describe('other ways in', () => {
  it('a face on stdio, and a server that is reached by its address', async () => {
    let text = '';
    const recorder = record((piece) => void (text += piece));
    const address = await serve(upstreamServer());
    let closed = 0;
    /** With a private member, which a copy of the object would not have. */
    class ByAddress implements Upstream {
      readonly #address = address;
      connect: Upstream['connect'] = (client, _caller, signal) => client.connect(this.#address, { signal });
      async close(): Promise<void> {
        closed += this.#address.length > 0 ? 1 : 0;
      }
    }
    const upstream = recorder.upstream(new ByAddress(), 'github');
    const inner = newClient();
    const caller = { principal: undefined, client: undefined, capabilities: {} };
    await upstream.connect(inner, caller, new AbortController().signal);
    const [there, back] = [new PassThrough(), new PassThrough()];
    await faceOf(inner).connect(recorder.down.transport(new StdioServerTransport(there, back)));
    const client = newClient();
    await client.connect(new StdioServerTransport(back, there));
    await client.callTool({ name: 'greet' });
    await closeAll();
    await upstream.close?.();
    expect(closed).toBe(1);
    await recorder.close();

    const lines = await linesOf(text);
    expect(messagesOn(lines, 'client').map(said)).toEqual(expect.arrayContaining(['→ tools/call?', '← result']));
    expect(messagesOn(lines, 'github').map(said)).toEqual(expect.arrayContaining(['→ tools/call?', '← result']));
    const connections = new Map(messagesOn(lines, 'github').map(({ connection }) => [connection, true]));
    expect([...connections.keys()]).toEqual([1]);
    expect(messagesOn(lines, 'client').every(({ connection }) => connection === 2)).toBe(true);
    const ways = lines
      .filter(({ kind }) => kind === 'connected' || kind === 'closed')
      .map(({ kind, hop }) => [kind, hop]);
    expect(ways.slice(0, 2)).toEqual([
      ['connected', 'github'],
      ['connected', 'client'],
    ]);
    expect(ways.slice(2)).toContainEqual(['closed', 'github']);
  });
});
