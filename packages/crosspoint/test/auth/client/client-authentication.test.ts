import { describe, expect, it } from 'vitest';
import { readAuthorizationResponse } from '../../../src/auth/client/authorization-response.ts';
import {
  clientAuthentication,
  isExpired,
  selectClientAuthMethod,
} from '../../../src/auth/client/client-authentication.ts';

const ISSUER = 'https://as.example';
const [BASIC, POST, NONE] = ['client_secret_basic', 'client_secret_post', 'none'] as const;

describe('the authentication of a client at its authorization server', () => {
  const secret = { client_id: 'a:b', client_secret: 's e' };

  it.each([
    [{ client_id: 'a' }, undefined, NONE],
    [{ client_id: 'a' }, [BASIC], NONE],
    [{ client_id: 'a', token_endpoint_auth_method: BASIC }, undefined, NONE],
    [secret, undefined, BASIC],
    [secret, [], BASIC],
    [secret, [POST], POST],
    [secret, [NONE, POST], POST],
    [secret, [NONE], NONE],
    [secret, ['private_key_jwt'], POST],
    [{ ...secret, token_endpoint_auth_method: POST }, undefined, POST],
    [{ ...secret, token_endpoint_auth_method: POST }, [], POST],
    [{ ...secret, token_endpoint_auth_method: POST }, [BASIC, POST], POST],
    [{ ...secret, token_endpoint_auth_method: POST }, [BASIC], BASIC],
    [{ ...secret, token_endpoint_auth_method: NONE }, undefined, NONE],
    [{ ...secret, token_endpoint_auth_method: 'private_key_jwt' }, undefined, BASIC],
  ])('%j with %j is %s', (information, supported, method) => {
    expect(selectClientAuthMethod(information as never, supported)).toBe(method);
  });

  const sent = async (information: object, metadata: object = {}, add?: never): Promise<[string | null, string]> => {
    const [body, headers] = [new URLSearchParams(), new Headers()];
    const authenticate = clientAuthentication(information as never, { issuer: ISSUER, ...metadata } as never, add);
    await authenticate(
      { issuer: ISSUER },
      { client_id: (information as { client_id: string }).client_id },
      body,
      headers,
    );
    return [headers.get('authorization'), body.toString()];
  };

  it('sends the secret in one place, encoded as a form', async () => {
    expect(await sent(secret)).toEqual([`Basic ${btoa('a%3Ab:s+e')}`, '']);
    expect(await sent({ ...secret, client_id: 'a-b' })).toEqual([`Basic ${btoa('a-b:s+e')}`, '']);
    expect(await sent(secret, { token_endpoint_auth_methods_supported: [POST] })).toEqual([
      null,
      'client_id=a%3Ab&client_secret=s+e',
    ]);
    expect(await sent({ client_id: 'a' })).toEqual([null, 'client_id=a']);
    expect(await sent(secret, { token_endpoint_auth_methods_supported: [NONE] })).toEqual([null, 'client_id=a%3Ab']);
  });

  it('is left to the program where it wants that, and told the address', async () => {
    const asked: unknown[] = [];
    const add = ((_headers: Headers, body: URLSearchParams, url: string) => (
      asked.push(url),
      body.set('own', '1')
    )) as never;
    expect(await sent(secret, { token_endpoint: `${ISSUER}/token` }, add)).toEqual([null, 'own=1']);
    await sent(secret, {}, add);
    expect(asked).toEqual([`${ISSUER}/token`, ISSUER]);
  });

  it('is refused with a secret that has expired', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect([isExpired({ client_id: 'a' }), isExpired({ client_id: 'a', client_secret_expires_at: 0 })]).toEqual([
      false,
      false,
    ]);
    expect(isExpired({ client_id: 'a', client_secret_expires_at: now + 60 })).toBe(false);
    expect(isExpired({ client_id: 'a', client_secret_expires_at: now })).toBe(true);
    const expired = { ...secret, client_secret_expires_at: now - 1 };
    await expect(sent(expired)).rejects.toThrow(`The secret of this client at ${ISSUER} has expired.`);
    expect(await sent(expired, { token_endpoint_auth_methods_supported: [NONE] })).toEqual([null, 'client_id=a%3Ab']);
  });
});

describe('the answer to a login', () => {
  const pending = { issuer: ISSUER, state: 's', metadata: { issuer: ISSUER } } as never;
  const strict = {
    issuer: ISSUER,
    state: 's',
    metadata: { issuer: ISSUER, authorization_response_iss_parameter_supported: true },
  } as never;
  const read = (query: string, from = pending, checkState?: boolean): string =>
    readAuthorizationResponse(new URLSearchParams(query), from, checkState);

  it('holds the code, for the state that was sent, of the issuer that was asked', () => {
    expect(read('code=c&state=s')).toBe('c');
    expect(read(`code=c&state=s&iss=${ISSUER}`, strict)).toBe('c');
    expect(read('code=c&state=other', pending, false)).toBe('c');
  });

  it.each(['code=c', 'code=c&state=t', 'code=c&state=s&state=s', 'code=c&state=t&state=s'])(
    'with another state is refused: %s',
    (query) => {
      expect(() => read(query)).toThrow('another state');
    },
  );

  it.each([
    `code=c&state=s&iss=${ISSUER}/`,
    'code=c&state=s&iss=https://evil.example',
    `code=c&state=s&iss=${ISSUER}&iss=${ISSUER}`,
    `error=x&state=s&iss=https://evil.example`,
  ])('of another issuer is refused: %s', (query) =>
    expect(() => read(query)).toThrow(expect.objectContaining({ name: 'IssuerMismatchError' })),
  );

  it('without an issuer is refused where the server names itself always', () => {
    expect(() => read('code=c&state=s', strict)).toThrow(expect.objectContaining({ name: 'IssuerMismatchError' }));
  });

  it('without one code is refused, and an error is told in words', () => {
    for (const query of ['state=s', 'state=s&code=', 'state=s&code=a&code=b'])
      expect(() => read(query), query).toThrow(/The answer to the login/);
    expect(() => read('state=s&error=access_denied&error_description=no')).toThrow(
      `The login at ${ISSUER} was refused: access_denied (no).`,
    );
    expect(() => read('state=s&error=access_denied')).toThrow(`The login at ${ISSUER} was refused: access_denied.`);
    expect(() => read(`state=s&error=e&error_description=${'x'.repeat(400)}`)).toThrow(new RegExp(`\\(x{300}\\)\\.$`));
  });
});
