import { afterEach, describe, expect, it } from 'vitest';
import { pagesDone } from '../../src/client/relaying.ts';
import { Server, UrlElicitationRequiredError } from '../../src/server/index.ts';
import { CARRIERS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

describe.each(CARRIERS)('pages that a program shows itself, over %s', (carrier) => {
  const open = async (ended: string[] = []) => {
    const server = new Server({ name: 'upstream', version: '1.0.0' }, { capabilities: { tools: {} } });
    const done = new Map<string, () => void>();
    server.setRequestHandler('tools/call', (_request, { pageCompletion }) => {
      for (const elicitationId of ['a', 'b']) done.set(elicitationId, pageCompletion(elicitationId));
      const page = (elicitationId: string) =>
        ({ mode: 'url', message: 'Pay', url: 'https://example.com/', elicitationId }) as const;
      throw new UrlElicitationRequiredError([page('a'), page('b')]);
    });
    const client = await connected(await serveOver(carrier, server), {
      revisions: 'handshake',
      capabilities: { elicitation: { url: {} } },
      inputRequired: 'manual',
      onelicitationcomplete: (id) => void ended.push(id),
    });
    await expect(client.callTool({ name: 'pay' })).rejects.toMatchObject({ kind: 'url-elicitation-required' });
    return { client, done };
  };

  it('are done when the server has said so of all of them', async () => {
    const ended: string[] = [];
    const { client, done } = await open(ended);
    let result: unknown;
    const waiting = pagesDone(client, ['a', 'b']).then((value) => (result = value));
    done.get('a')?.();
    await expect.poll(() => ended).toEqual(['a']);
    expect(result).toBeUndefined();
    done.get('b')?.();
    expect(await waiting).toBe(true);
    expect(await pagesDone(client, ['a'])).toBe(true);
  });

  it('are not done when the wait ends first', async () => {
    const { client } = await open();
    const abort = new AbortController();
    const waiting = pagesDone(client, ['a'], { signal: abort.signal });
    abort.abort();
    expect(await waiting).toBe(false);
    expect(await pagesDone(client, ['a'], { signal: abort.signal })).toBe(false);
  });

  it('are not done when the connection ends', async () => {
    const { client } = await open();
    const waiting = pagesDone(client, ['a']);
    await client.close();
    expect(await waiting).toBe(false);
  });
});
