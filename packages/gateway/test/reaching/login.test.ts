import { afterEach, describe, expect, it } from 'vitest';
import type { HttpTarget } from 'crosspoint/client';
import { bridge } from '../../src/index.ts';
import { atEnd, closeAll, serveHttp } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { oldHttp, sender, session } from '../raw/faces.ts';
import { rawHttp, type Came, type Reply } from '../raw/http.ts';
import { newServer, says } from '../raw/words.ts';

afterEach(closeAll);

/** A server that wants a token, and says 403 to a weak one. */
function guarded(kind: string): (came: Came, reply: Reply) => void {
  const on = ({ body, method }: Came, reply: Reply): void => {
    if (method === 'GET') return reply.open();
    if (body?.['method'] === 'tools/call')
      reply.json({ id: body['id'], result: { resultType: 'complete', ...says('in') } });
  };
  const inside =
    kind === 'old'
      ? oldHttp(on)
      : (came: Came, reply: Reply) =>
          newServer({ on: () => on(came, reply) })(came.body ?? {}, {
            send: (one: object) => reply.json(one),
          } as never);
  return (came, reply) => {
    const token = came.headers.authorization;
    if (token === 'Bearer of-the-bridge') return inside(came, reply);
    if (token === 'Bearer weak')
      return reply.status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' });
    reply.status(401, { 'www-authenticate': 'Bearer' });
  };
}

async function before(kind: string, target: Partial<HttpTarget> = {}) {
  const server = await rawHttp(guarded(kind));
  const problems: Error[] = [];
  const face = bridge({ url: server.url, ...target }, { onproblem: (problem) => problems.push(problem) });
  const where = await serveHttp(face, { authenticate });
  atEnd(() => face.close());
  return { server, where, send: sender(where, {}, { authorization: 'Bearer of-the-caller' }) };
}

describe.each(['old', 'new'])('a guarded %s server', (kind) => {
  it('is reached with the token of the bridge, and never with that of the caller', async () => {
    const { server, where, send } = await before(kind, { authProvider: { token: async () => 'of-the-bridge' } });
    expect((await (await send('tools/call', { name: 'one' })).answer(1))['result']).toMatchObject(says('in'));
    const client = await session(where, {}, { headers: { authorization: 'Bearer of-the-caller' } });
    expect(
      (await (await client.post({ id: 1, method: 'tools/call', params: { name: 'one' } })).answer(1))['result'],
    ).toMatchObject(says('in'));
    expect(server.came.length).toBeGreaterThan(3);
    for (const { headers } of server.came) expect(headers.authorization).toBe('Bearer of-the-bridge');
    expect(JSON.stringify(server.came)).not.toContain('of-the-caller');
  });

  it.each([
    ['401', {}],
    ['403', { authProvider: { token: async () => 'weak' } }],
  ])('whose %s the bridge cannot settle is a clear error, and no login of the caller', async (status, target) => {
    const { server, send } = await before(kind, target);
    const answer = await send('tools/call', { name: 'one' });
    const { error } = await answer.answer(1);
    expect(error.code).toBe(-32603);
    expect(error.message).toContain('server behind the bridge');
    expect(error.message).toMatch(new RegExp(`${status}|log in|scope|authori[sz]`, 'i'));
    expect(answer.response.status).toBe(200);
    expect(answer.response.headers.get('www-authenticate')).toBeNull();
    expect(JSON.stringify(server.came)).not.toContain('of-the-caller');
    expect(error.message).not.toContain('weak');
  });
});
