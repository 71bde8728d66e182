import { afterEach, describe, expect, it } from 'vitest';
import { auth } from '../../../src/auth/index.ts';
import { readAuthorizationResponse } from '../../../src/auth/client/authorization-response.ts';
import type { PendingAuthorization } from '../../../src/auth/client/pending-authorization.ts';
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

const advertised = (usual: Record<string, unknown>): Record<string, unknown> => ({
  ...usual,
  authorization_response_iss_parameter_supported: true,
});

const ISSUER = 'https://as.example/x';
const PENDING: PendingAuthorization = {
  issuer: ISSUER,
  codeVerifier: 'v',
  state: 's',
  redirectUri: 'http://127.0.0.1/callback',
  clientId: 'c',
  resource: 'https://mcp.example',
  scope: undefined,
  metadata: { issuer: ISSUER },
};

describe('the answer of the page', () => {
  proves('M-AF-015, M-AF-016').it.each([
    ['advertised and missing', advertised, undefined],
    ['advertised and wrong', advertised, 'https://evil.example'],
    ['not advertised and wrong', undefined, 'https://evil.example'],
  ])('with an issuer that is %s is refused before the code goes anywhere', async (_, metadata, iss) => {
    const world = await made({ ...(metadata && { metadata }), callback: (usual) => ({ ...usual, iss }) });
    const error = await failureOf(use(world, login(world)));
    expect(error).toMatchObject({
      name: 'IssuerMismatchError',
      kind: 'authorization_response',
      expected: world.issuer,
      message: expect.stringContaining(iss === undefined ? 'Pass the whole query' : 'another authorization server'),
    });
    expect(world.seen('GET /authorize')).toHaveLength(1);
    expect(world.seen('POST /token')).toEqual([]);
  });

  proves('M-AF-015').it('with the right issuer is used, whether or not it was advertised', async () => {
    for (const metadata of [advertised, undefined]) {
      let issuer = '';
      const world = await made({ ...(metadata && { metadata }), callback: (usual) => ({ ...usual, iss: issuer }) });
      issuer = world.issuer;
      expect(await use(world, login(world))).toBe('a user');
    }
  });

  proves('M-AF-017').it('without an issuer that nobody promised is used', async () => {
    const world = await made();
    expect(await use(world, login(world))).toBe('a user');
  });

  proves('M-AF-018').it.each([
    `${ISSUER}/`,
    'https://AS.example/x',
    'HTTPS://as.example/x',
    'https://as.example:443/x',
    'https://as.example/%78',
  ])('with the issuer %s is not taken for the same', (iss) => {
    const params = new URLSearchParams({ code: 'c', state: 's', iss });
    expect(() => readAuthorizationResponse(params, PENDING)).toThrow('another authorization server');
  });

  proves('M-AF-019').it('of another issuer is not believed when it says what went wrong', () => {
    const params = new URLSearchParams({
      error: 'access_denied',
      error_description: 'call this number',
      error_uri: 'https://evil.example',
      state: 's',
      iss: 'https://evil.example',
    });
    let message = '';
    try {
      readAuthorizationResponse(params, PENDING);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain('another authorization server');
    expect(message).not.toMatch(/call this number|access_denied/);
  });

  it('that says no is an error with its reason', () => {
    const params = new URLSearchParams({
      error: 'access_denied',
      error_description: 'not today',
      state: 's',
      iss: ISSUER,
    });
    expect(() => readAuthorizationResponse(params, PENDING)).toThrow(/access_denied.*not today/);
  });

  proves('L-AUTH-096, M-ASEC-013').it.each([{ state: 'other' }, { state: undefined }, { state: '' }])(
    'with the state $state instead of ours is refused before the code goes anywhere',
    async ({ state }) => {
      const world = await made({ callback: (usual) => ({ ...usual, state }) });
      const error = await failureOf(use(world, login(world)));
      expect(error.fault).toBe('callback');
      expect(error.message).toContain('state');
      expect(world.seen('POST /token')).toEqual([]);
    },
  );

  it('with two codes, or with two states, or without a code is refused', () => {
    for (const query of ['code=a&code=b&state=s', 'code=a&state=s&state=t', 'state=s', 'code=&state=s'])
      expect(() => readAuthorizationResponse(new URLSearchParams(query), PENDING)).toThrow();
  });

  proves('M-AF-012').it(
    'is checked against one record of the question: its issuer, its verifier and its state',
    async () => {
      const world = await made();
      const kept: PendingAuthorization[] = [];
      const provider = login(world, {
        userAgent: {
          ...approving,
          visit: (page) => {
            kept.push(provider.pending()!);
            return approving.visit(page);
          },
        },
      });
      await use(world, provider);
      expect(kept).toHaveLength(1);
      expect(kept[0]).toMatchObject({ issuer: world.issuer, state: approving.pages[0]?.searchParams.get('state') });
      expect(kept[0]?.codeVerifier).toBe(world.seen('POST /token')[0]?.form.get('code_verifier'));
    },
  );

  it('is used once', async () => {
    const world = await made();
    let page: URL | undefined;
    const provider = login(world, {
      userAgent: { ...approving, visit: async (url) => void (page = url) as undefined },
    });
    expect(await auth(provider, { serverUrl: world.mcp })).toBe('REDIRECT');
    const callback = (await approving.visit(page!))!;
    expect(await auth(provider, { serverUrl: world.mcp, callback })).toBe('AUTHORIZED');
    expect((await failureOf(auth(provider, { serverUrl: world.mcp, callback }))).message).toMatch(
      /No login|no longer known/,
    );
    expect(world.seen('POST /token')).toHaveLength(1);
  });

  it('goes to the token endpoint of the server that was asked, whatever the metadata says by then', async () => {
    const [honest, evil] = [await made(), await made()];
    let issuer = honest.issuer;
    const world = await made({ prm: (usual) => ({ ...usual, authorization_servers: [issuer] }) });
    let page: URL | undefined;
    const provider = login(world, {
      userAgent: { ...approving, visit: async (url) => void (page = url) as undefined },
    });
    await auth(provider, { serverUrl: world.mcp });
    issuer = evil.issuer;
    const callback = (await approving.visit(page!))!;
    await auth(provider, { serverUrl: world.mcp, callback });
    expect(honest.seen('POST /token')).toHaveLength(1);
    expect(evil.seen('POST /token')).toEqual([]);
  });
});
