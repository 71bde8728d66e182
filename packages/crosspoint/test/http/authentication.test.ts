import { afterEach, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/transports/http/server/adapters/exchange.ts';
import type { AuthInfo } from '../../src/transports/transport.ts';
import { proves } from '../requirements/proves.ts';
import { HANDSHAKE, closeAll, openSession, send, serve, stateless } from './serving.ts';

afterEach(closeAll);

const ADA = { authorization: 'Bearer ada' };

/** Lets in whoever carries a name. */
function authenticate(request: HttpRequest): AuthInfo | undefined {
  const token = request.header('authorization')?.replace('Bearer ', '');
  if (token === 'broken') throw new Error('The directory is down.');
  return token === undefined ? undefined : { token, clientId: token, scopes: [] };
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('a server that authenticates', () => {
  proves('M-HTTP-029').test('leaves no way in without a handshake: discovering needs credentials too', async () => {
    const at = await serve({ authenticate });
    const refused = await send(at, stateless('server/discover'));
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await send(at, stateless('server/discover', {}, { headers: ADA }))).status).toBe(200);
    expect((await send(at, { method: 'GET', path: '/sse' })).status).toBe(401);
  });

  proves('L-SECURITY-034, L-SECURITY-035').test('verifies every request: a session is no credential', async () => {
    const at = await serve({ authenticate });
    const session = await openSession(at, HANDSHAKE, {}, ADA);
    expect((await session.post(list)).status).toBe(200);
    const { authorization: _gone, ...bare } = session.headers;
    expect((await send(at, { body: list, headers: bare })).status).toBe(401);
    expect((await send(at, { method: 'GET', headers: bare })).status).toBe(401);
    expect((await send(at, { method: 'DELETE', headers: bare })).status).toBe(401);
    expect((await session.post(list, { authorization: 'Bearer eve' })).status).toBe(404);
    expect((await session.post(list)).status).toBe(200);
  });

  test('fails closed when it cannot tell, and says so to the program alone', async () => {
    const at = await serve({ authenticate });
    const refused = await send(at, stateless('server/discover', {}, { headers: { authorization: 'Bearer broken' } }));
    expect(refused.status).toBe(401);
    expect(JSON.stringify(await refused.json())).not.toContain('directory');
    expect(at.problems.map(({ message }) => message)).toContain('The directory is down.');
  });
});
