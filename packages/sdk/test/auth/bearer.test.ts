import express, { type Request, type Response } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { NOBODY, soon } from '../../../crosspoint/test/hostile/nobody.ts';
import { InvalidTokenError, OAuthError } from '../../src/server/auth/errors.ts';
import { requireBearerAuth, type BearerAuthMiddlewareOptions } from '../../src/server/auth/middleware/bearerAuth.ts';
import { authenticateClient } from '../../src/server/auth/middleware/clientAuth.ts';
import { listen, type Listening } from '../listening.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Asks an application that the middleware protects. */
async function ask(options: BearerAuthMiddlewareOptions): Promise<globalThis.Response> {
  const app = express();
  app.get('/', requireBearerAuth(options), (request, response) => void response.json(request.auth));
  const listening = await listen(app);
  open.push(listening);
  return fetch(listening.url, { headers: { authorization: 'Bearer token' } });
}

const verified = (given: unknown) => ({ verifyAccessToken: async () => given as never });
const caller = { token: 't', clientId: 'ada', scopes: ['read'], expiresAt: soon() };

describe('requireBearerAuth', () => {
  test.each(NOBODY)('lets nobody in when the verifier gives %s', async (_what, given) => {
    const named = typeof given === 'object' && given !== null && 'clientId' in given && !('expiresAt' in given);
    const refused = await ask({ verifier: verified(named ? { expiresAt: soon(), ...given } : given) });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  });

  test('lets a named caller in, whether it expires in seconds or milliseconds', async () => {
    for (const expiresAt of [soon(), soon() * 1000])
      expect((await ask({ verifier: verified({ ...caller, expiresAt }) })).status).toBe(200);
  });

  test('finds no scope in a part of another', async () => {
    const verifier = verified({ ...caller, scopes: ['readadmin'] });
    expect((await ask({ verifier, requiredScopes: ['admin'] })).status).toBe(403);
  });

  test('wants a token that was issued for this server, where it is told which', async () => {
    const statusFor = async (resource: unknown) =>
      (await ask({ verifier: verified({ ...caller, resource }), expectedResource: new URL('https://a.example/mcp') }))
        .status;
    expect(await statusFor(new URL('https://a.example/mcp/'))).toBe(200);
    expect(await statusFor('https://a.example/mcp')).toBe(200);
    for (const other of [undefined, 'nonsense', new URL('https://a.example/'), new URL('https://b.example/mcp')])
      expect(await statusFor(other)).toBe(401);
  });

  test('writes one challenge, whatever the words of an error', async () => {
    const words = 'bad", scope="admin\\\r\nSet-Cookie: x=1\u2028é';
    const verifier = { verifyAccessToken: async () => Promise.reject(new InvalidTokenError(words)) };
    const refused = await ask({ verifier });
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="bad', scope='admin'??Set-Cookie: x=1??"`,
    );
    expect(await refused.json()).toEqual({ error: 'invalid_token', error_description: words });
  });
});

describe('a middleware gives a promise that never rejects', () => {
  const answered: unknown[] = [];
  const response = (hasBegun: boolean): Response => {
    const self = {
      headersSent: hasBegun,
      set: () => self,
      end: () => void answered.push('end'),
      status: (code: number) => ({ json: () => void answered.push(code) }),
    };
    return self as object as Response;
  };
  const request = { headers: { authorization: 'Bearer token' }, body: { client_id: 'c' } } as Request;
  const later = () => {
    throw new Error('thrown by a later handler');
  };

  test.each([
    ['requireBearerAuth', requireBearerAuth({ verifier: verified(caller) }), later, 500],
    ['requireBearerAuth', requireBearerAuth({ verifier: { verifyAccessToken: later } }), () => {}, 500],
    ['authenticateClient', authenticateClient({ clientsStore: { getClient: later } }), () => {}, 500],
    ['authenticateClient', authenticateClient({ clientsStore: { getClient: () => undefined } }), () => {}, 400],
  ])('%s', async (_name, middleware, next, status) => {
    for (const hasBegun of [false, true]) {
      const pending: unknown = middleware(request, response(hasBegun), next);
      expect(pending).toBeInstanceOf(Promise);
      await pending;
    }
    expect(answered.splice(0)).toEqual([status, 'end']);
  });
});

test('an error says what its class says when it is asked', () => {
  class Own extends OAuthError {
    static override errorCode: string = 'own_code';
  }
  class Getting extends OAuthError {
    override get errorCode(): string {
      return 'from_a_getter';
    }
  }
  expect(new Own('Words', 'https://errors.example').toResponseObject()).toEqual({
    error: 'own_code',
    error_description: 'Words',
    error_uri: 'https://errors.example',
  });
  expect(new Getting('Words').toResponseObject()).toEqual({ error: 'from_a_getter', error_description: 'Words' });
  expect(new Own('')).toMatchObject({ name: 'Own', message: '', errorCode: 'own_code' });
});
