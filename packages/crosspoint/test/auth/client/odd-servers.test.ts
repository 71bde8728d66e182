import { afterEach, describe, expect, it } from 'vitest';
import { explainAuth } from '../../../src/auth/index.ts';
import { proves } from '../../requirements/proves.ts';
import { approving, createWorld, failureOf, login, use, type World, type WorldOptions } from './world.ts';

const worlds: World[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  approving.pages = [];
  for (const world of worlds.splice(0)) await world.close();
});

/** Authorization servers as they are met: either the login works, or the error names the fault and who has to mend it. */
describe('an authorization server', () => {
  it('whose metadata names an issuer on another host is refused, and used where the user says so', async () => {
    const world = await made({ metadata: (usual) => ({ ...usual, issuer: 'https://auth.elsewhere.example' }) });
    const error = await failureOf(use(world, login(world)));
    expect(error.message).toMatch(new RegExp(`${world.issuer}.*https://auth\\.elsewhere\\.example.*operator`, 's'));
    const steps: string[] = [];
    const options = {
      authOverrides: { issuer: 'https://auth.elsewhere.example' },
      onauthstep: ({ explanation }: { explanation: string }) => void steps.push(explanation),
    };
    expect(await use(world, login(world), options)).toBe('a user');
    expect(steps).toContain('You overrode issuer for this server.');
  });

  it('whose metadata names its issuer without the path is refused, and used where the user says so', async () => {
    const world = await made({ issuerPath: '/tenant', metadata: (usual, { as }) => ({ ...usual, issuer: as }) });
    expect((await failureOf(use(world, login(world)))).name).toBe('IssuerMismatchError');
    expect(await use(world, login(world), { authOverrides: { issuer: world.as } })).toBe('a user');
  });

  it('whose resource names another host is refused, and used where the user says so', async () => {
    const world = await made({ prm: (usual) => ({ ...usual, resource: 'https://www.elsewhere.example/mcp' }) });
    const error = await failureOf(use(world, login(world)));
    expect(error.message).toContain('https://www.elsewhere.example/mcp');
    expect(error.message).toContain('overrides.resource');
    const authOverrides = { resource: 'https://www.elsewhere.example/mcp' };
    expect(await use(world, login(world), { authOverrides })).toBe('a user');
    expect(world.seen('GET /authorize')[0]?.query.get('resource')).toBe(authOverrides.resource);
  });

  it('whose resource metadata is only at the place with the path', async () => {
    const world = await made({ challenge: () => null });
    expect(await use(world, login(world))).toBe('a user');
  });

  it('whose resource metadata is only at the root', async () => {
    const world = await made({ challenge: () => null, prmPath: '/.well-known/oauth-protected-resource' });
    expect(await use(world, login(world))).toBe('a user');
  });

  it('that is on another host than the server', async () => {
    const world = await made();
    expect(new URL(world.as).origin).not.toBe(new URL(world.mcp).origin);
    expect(await use(world, login(world))).toBe('a user');
  });

  it('whose issuer has a path and whose metadata is behind it', async () => {
    const world = await made({ issuerPath: '/auth/v1', metadataPath: '/auth/v1/.well-known/openid-configuration' });
    expect(await use(world, login(world))).toBe('a user');
  });

  it.each([401, 403])('that wants an API key for registration (%d) says to register by hand', async (status) => {
    const world = await made({
      register: () => ({ status, body: { errorCode: 'E0000005', errorSummary: 'Invalid session' } }),
    });
    const error = await failureOf(use(world, login(world)));
    expect(error).toMatchObject({ name: 'RegistrationRejectedError', status });
    expect(error.message).toContain('register a client by hand');
    expect(await use(world, login(world, { client: { client_id: 'by-hand' } }))).toBe('a user');
  });

  it('that takes no scope in a registration', async () => {
    const world = await made({
      register: ({ json }, usual) =>
        json['scope'] === undefined
          ? usual()
          : { status: 400, body: { error: 'invalid_client_metadata', error_description: 'scope' } },
    });
    expect(await use(world, login(world, { scope: 'tools' }))).toBe('a user');
    expect(world.seen('GET /authorize')[0]?.query.get('scope')).toBe('tools');
  });

  it('that answers a registration with the id alone, and with 200', async () => {
    const world = await made({ register: () => ({ status: 200, body: { client_id: 'short' } }) });
    const provider = login(world);
    expect(await use(world, provider)).toBe('a user');
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
  });

  it('that gives out a secret without saying when it ends', async () => {
    const world = await made({
      metadata: (usual) => ({ ...usual, token_endpoint_auth_methods_supported: ['client_secret_post'] }),
      register: (_, usual) => ({ status: 201, body: { ...(usual().body as object), client_secret: 's' } }),
    });
    expect(await use(world, login(world))).toBe('a user');
  });

  proves('L-AUTH-019').it('without any registration says so', async () => {
    const world = await made({ metadata: ({ registration_endpoint: _none, ...usual }) => usual });
    expect((await failureOf(use(world, login(world)))).message).toContain('has no registration endpoint');
    expect((await explainAuth(world.mcp)).ok).toBe(false);
  });

  it('with rotating refresh tokens that ends everything when one is used twice', async () => {
    const world = await made({ lifetime: 0 });
    const provider = login(world);
    for (const _ of [1, 2, 3]) await Promise.all([use(world, provider), use(world, provider), use(world, provider)]);
    expect(world.seen('GET /authorize').length).toBe(1);
  });

  it('for a server whose address has a query', async () => {
    const world = await made();
    const withQuery = { ...world, mcp: `${world.mcp}?workspace=1` } as World;
    expect(await use(withQuery, login(withQuery))).toBe('a user');
    expect(world.seen('POST /token')[0]?.form.get('resource')).toBe(world.mcp);
  });

  it('whose tokens live for five minutes, or say so as text, or not at all', async () => {
    for (const expires_in of [300, '300', undefined, 'soon', null]) {
      const world = await made({ token: (_, usual) => ({ body: { ...(usual().body as object), expires_in } }) });
      expect(await use(world, login(world))).toBe('a user');
    }
  });

  it('that says no with 200', async () => {
    const world = await made({
      token: () => ({ body: { error: 'bad_verification_code', error_description: 'expired' } }),
    });
    expect(await failureOf(use(world, login(world)))).toMatchObject({
      name: 'OAuthError',
      code: 'bad_verification_code',
    });
  });

  it('that answers with a web page', async () => {
    const world = await made({ challenge: () => null, metadata: () => undefined });
    const error = await failureOf(use(world, login(world)));
    expect(error.message).toContain('has no metadata at any of the documented addresses');
  });

  it('that is missing altogether: the server wants a token that nobody issues', async () => {
    const world = await made({ challenge: () => null, prmPath: null });
    const error = await failureOf(use(world, login(world)));
    expect(error.message).toContain('pass the token that the server wants');
  });

  it('whose page, token or registration endpoint is nowhere to go to is refused before anything is sent', async () => {
    for (const endpoint of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://169.254.169.254/',
      'http://10.0.0.1/',
      'https://u:p@as.example/',
    ]) {
      for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
        const world = await made({ metadata: (usual) => ({ ...usual, [name]: endpoint }) });
        const error = await failureOf(use(world, login(world)));
        expect(error.fault).toBe('server-metadata');
        expect(error.message).toContain(name);
        expect(world.log.filter(({ at, method }) => at === 'as' && method === 'POST')).toEqual([]);
        expect(approving.pages).toEqual([]);
      }
    }
  });

  it('whose metadata has no end, or is too large, or redirects to a metadata service', async () => {
    const world = await made({ metadata: (usual) => ({ ...usual, padding: 'x'.repeat(2_000_000) }) });
    expect((await failureOf(use(world, login(world)))).fault).toBe('server-metadata');
    const elsewhere = await made({
      prm: (usual) => ({ ...usual, authorization_servers: ['https://169.254.169.254'] }),
    });
    expect((await failureOf(use(elsewhere, login(elsewhere)))).message).toContain('169.254.169.254');
  });
});

describe('the explanation', () => {
  it('of a server that does not want a token says so', async () => {
    const world = await made({ needs: () => undefined });
    world.tokens.set('', { scope: '', isOver: false });
    const { steps } = await explainAuth(world.mcp);
    expect(steps[0]).toMatchObject({ verdict: 'note' });
  });

  it('of a broken one ends with the fault and has every request before it, with answer, verdict and rule', async () => {
    const world = await made({ metadata: (usual) => ({ ...usual, issuer: 'https://elsewhere.example' }) });
    const { ok, steps, error } = await explainAuth(world.mcp);
    expect(ok).toBe(false);
    expect(error?.name).toBe('IssuerMismatchError');
    expect(steps.find(({ verdict }) => verdict === 'bad')).toMatchObject({
      step: 'authorization-server metadata',
      request: `GET ${world.as}/.well-known/oauth-authorization-server`,
      answer: '200 application/json',
      rule: 'RFC 8414 section 3.3',
    });
    expect(world.log.filter(({ at, method }) => at === 'as' && method !== 'GET')).toEqual([]);
  });
});
