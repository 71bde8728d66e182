import { afterEach, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { closeAll, connected, lines, serveHttp, serveOver } from './carriers.ts';

afterEach(closeAll);

const OPTIONS = { revisions: 'handshake', capabilities: { elicitation: {} } } as const;
const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;

function interviewing(): { server: McpServer; ids: unknown[] } {
  const ids: unknown[] = [];
  const server = new McpServer({ name: 'upstream', version: '1.0.0' });
  server.registerTool('interview', {}, async ({ elicit, progress }) => {
    progress(1);
    const first = await elicit({ message: 'First?', requestedSchema: FORM });
    const second = await elicit({ message: 'Second?', requestedSchema: FORM });
    return text([first, second].map(({ content }) => String(content?.['name'])).join(' '));
  });
  server.use((operation, next) => {
    if (operation.kind === 'request') ids.push(operation.requestId);
    return next();
  });
  return { server, ids };
}

/** A client with a call whose first question is never answered: where it can be resumed, and in which session. */
async function interrupted(url: string): Promise<{ resumeAfter: string; sessionId: string; protocolVersion: string }> {
  let tell: ((token: string | undefined) => void) | undefined;
  const asked = new Promise<string | undefined>((resolve) => (tell = resolve));
  const client = await connected(url, OPTIONS, (made) =>
    made.setRequestHandler('elicitation/create', (_request, extra) => {
      tell?.(extra.resumeAfter);
      return new Promise(() => {});
    }),
  );
  client.callTool({ name: 'interview' }, { onprogress: () => {} }).catch(() => {});
  const resumeAfter = await asked;
  const sessionId = client.transport?.sessionId;
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (resumeAfter === undefined || sessionId === undefined || protocolVersion === undefined) throw new Error('nothing');
  return { resumeAfter, sessionId, protocolVersion };
}

describe('a session that another process goes on with', () => {
  it('asks an open question again, when it is resumed after the event before it', async () => {
    const url = await serveHttp(interviewing().server);
    const { resumeAfter, ...session } = await interrupted(url);
    const asked: unknown[] = [];
    const client = new Client({ name: 'later', version: '1' }, OPTIONS);
    client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
      asked.push(message);
      return { action: 'accept', content: { name: message } };
    });
    await client.connect(new StreamableHTTPClientTransport(url, session));
    const result = await client.callTool({ name: 'interview' }, { resumptionToken: resumeAfter });
    expect(result.content).toEqual([{ type: 'text', text: 'First? Second?' }]);
    expect(asked).toEqual(['First?', 'Second?']);
    await client.close();
  });

  it('never uses an id of a request twice', async () => {
    const { server, ids } = interviewing();
    server.registerTool('plain', {}, () => text('ok'));
    const url = await serveHttp(server);
    const { resumeAfter: _, ...session } = await interrupted(url);
    for (let process = 0; process < 2; process += 1) {
      const client = new Client({ name: 'later', version: '1' }, OPTIONS);
      await client.connect(new StreamableHTTPClientTransport(url, session));
      expect((await client.callTool({ name: 'plain' }, { onprogress: () => {} })).content).toHaveLength(1);
      await client.ping();
    }
    expect(ids.length).toBeGreaterThan(5);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has ids with numbers alone where the client opens it itself', async () => {
    const { server, ids } = interviewing();
    const client = await connected(await serveHttp(server), OPTIONS);
    await client.ping();
    expect(ids.every((id) => typeof id === 'number')).toBe(true);
  });
});

it('over stdio, and without event ids, there is nothing to resume after', async () => {
  const { server } = interviewing();
  for (const where of [await serveOver('stdio', server), await serveHttp(server, { sessions: { resumable: false } })]) {
    const after: unknown[] = [];
    const client = new Client({ name: 'c', version: '1' }, OPTIONS);
    client.setRequestHandler('elicitation/create', (_request, extra) => {
      after.push(extra.resumeAfter);
      return { action: 'decline' };
    });
    await client.connect((typeof where === 'string' ? where : await lines(where)) as never);
    await client.callTool({ name: 'interview' });
    expect(after).toEqual([undefined, undefined]);
    await client.close();
  }
});
