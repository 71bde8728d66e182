import { afterEach, describe, expect, it } from 'vitest';
import { authorizationServerMetadataUrls, protectedResourceMetadataUrls } from '../../../src/auth/well-known.ts';
import { discover, type DiscoverOptions, type Discovery } from '../../../src/auth/client/discovery/discovery.ts';
import { proves } from '../../requirements/proves.ts';
import { createWorld, failureOf, login, use, type World, type WorldOptions } from './world.ts';

const worlds: World[] = [];
async function made(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

type Site = Record<string, object>;

/** Discovery among documents; what was asked for is in `asked`. */
async function among(
  site: Site,
  server: string,
  options: Partial<DiscoverOptions> = {},
): Promise<{ asked: string[]; found: Discovery }> {
  const asked: string[] = [];
  const fetch = async (url: string | URL): Promise<Response> => {
    asked.push(String(url));
    const body = site[String(url)];
    return body === undefined ? new Response('', { status: 404 }) : Response.json(body);
  };
  const found = await discover(new URL(server), { fetch, ...options }).catch((error: Error) => {
    throw Object.assign(error, { asked });
  });
  return { asked, found };
}

const AS = { authorization_endpoint: 'https://as.example/a', token_endpoint: 'https://as.example/t' };

describe('protected-resource metadata', () => {
  const server = 'https://mcp.example/public/mcp';
  const document = { resource: server, authorization_servers: ['https://as.example'] };
  const rest: Site = {
    'https://as.example/.well-known/oauth-authorization-server': { issuer: 'https://as.example', ...AS },
  };

  proves('L-AUTH-030, M-AD-007').it('is taken from where the challenge says', async () => {
    const named = new URL('https://mcp.example/elsewhere.json');
    const { asked } = await among({ ...rest, [named.href]: document }, server, { resourceMetadataUrl: named });
    expect(asked[0]).toBe(named.href);
    expect(asked).toHaveLength(2);
  });

  proves('L-AUTH-030, M-AD-007').it('is looked for at the path, then at the root', async () => {
    const root = 'https://mcp.example/.well-known/oauth-protected-resource';
    const { asked } = await among({ ...rest, [root]: document }, server);
    expect(asked.slice(0, 2)).toEqual([`${root}/public/mcp`, root]);
    expect(protectedResourceMetadataUrls('https://mcp.example/').map(String)).toEqual([root]);
  });

  proves('M-AD-015').it('that is about another server is refused', async () => {
    const world = await made({ prm: (usual) => ({ ...usual, resource: 'https://evil.example/mcp' }) });
    const error = await failureOf(use(world, login(world)));
    expect(error.fault).toBe('resource-mismatch');
    expect(error.message).toContain('https://evil.example/mcp');
    expect(world.log.filter(({ at }) => at === 'as')).toEqual([]);
  });

  proves('M-AD-015').it.each([
    ['https://mcp.example/public/mcp', true],
    ['https://mcp.example/public', true],
    ['https://mcp.example', true],
    ['https://mcp.example/pub', false],
    ['https://mcp.example/public/mcp/more', false],
    ['http://mcp.example/public/mcp', false],
    ['https://mcp.example:8443/public/mcp', false],
    ['https://other.example/public/mcp', false],
    ['https://mcp.example/public/mcp#x', false],
    ['mcp.example/public/mcp', false],
  ])('with the resource %s is for this server: %s', async (resource, isGood) => {
    const { resourceCovers } = await import('../../../src/auth/resource-identifier.ts');
    expect(resourceCovers(resource, server)).toBe(isGood);
  });

  proves('L-AUTH-026, M-AD-016').it('with several authorization servers leaves the choice to the program', async () => {
    const other = 'https://other.example';
    const site = {
      ...rest,
      [`${other}/.well-known/oauth-authorization-server`]: { issuer: other, ...AS },
      'https://mcp.example/.well-known/oauth-protected-resource/public/mcp': {
        ...document,
        authorization_servers: ['https://as.example', other],
      },
    };
    const first = await among(site, server);
    const second = await among(site, server, { choose: (issuers) => issuers[1] ?? '' });
    expect([first.found.metadata.issuer, second.found.metadata.issuer]).toEqual(['https://as.example', other]);
  });

  it('that names no authorization server is an error that says so', async () => {
    const site = { 'https://mcp.example/.well-known/oauth-protected-resource/public/mcp': { resource: server } };
    expect((await failureOf(among(site, server))).message).toContain('authorization_servers');
  });
});

describe('authorization-server metadata', () => {
  const server = 'https://mcp.example/mcp';
  const prm = (issuer: string): Site => ({
    'https://mcp.example/.well-known/oauth-protected-resource/mcp': {
      resource: server,
      authorization_servers: [issuer],
    },
  });

  proves('L-AUTH-035, M-AD-011, L-AUTH-034, M-AD-010').it(
    'of an issuer with a path is looked for at three places in order',
    async () => {
      const issuer = 'https://as.example/tenant1';
      const places = [
        'https://as.example/.well-known/oauth-authorization-server/tenant1',
        'https://as.example/.well-known/openid-configuration/tenant1',
        'https://as.example/tenant1/.well-known/openid-configuration',
      ];
      expect(authorizationServerMetadataUrls(issuer).map(({ url }) => url.href)).toEqual(places);
      for (const [index, place] of places.entries()) {
        const { asked } = await among({ ...prm(issuer), [place]: { issuer, ...AS } }, server);
        expect(asked.slice(1)).toEqual(places.slice(0, index + 1));
      }
    },
  );

  proves('L-AUTH-036, M-AD-012, L-AUTH-032').it('of an issuer without a path is looked for at two', async () => {
    const issuer = 'https://as.example';
    const places = [`${issuer}/.well-known/oauth-authorization-server`, `${issuer}/.well-known/openid-configuration`];
    for (const [index, place] of places.entries()) {
      const { asked } = await among({ ...prm(issuer), [place]: { issuer, ...AS } }, server);
      expect(asked.slice(1)).toEqual(places.slice(0, index + 1));
    }
  });

  proves('M-AD-013, M-AD-014').it.each([
    'https://as.example/',
    'https://AS.example',
    'https://as.example:443',
    'https://honest.example',
    '',
  ])('that names the issuer "%s" instead of https://as.example is not used', async (received) => {
    const site = {
      ...prm('https://as.example'),
      'https://as.example/.well-known/oauth-authorization-server': { issuer: received, ...AS },
    };
    const error = await failureOf(among(site, server));
    expect(error).toMatchObject({ fault: 'issuer-mismatch', expected: 'https://as.example', received });
    expect(error.message).toContain('overrides.issuer');
  });

  it('with a wrong issuer is used where the user says so, and the result shows it', async () => {
    const steps: string[] = [];
    const site = {
      ...prm('https://as.example/'),
      'https://as.example/.well-known/oauth-authorization-server': { issuer: 'https://as.example', ...AS },
    };
    const { found } = await among(site, server, {
      overrides: { issuer: 'https://as.example' },
      trace: ({ explanation }) => steps.push(explanation),
    });
    expect(found.overridden).toEqual(['issuer']);
    expect(found.metadata.issuer).toBe('https://as.example');
    expect(steps.join(' ')).toContain('You overrode issuer');
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])(
    'with a %s that is no place to go to is not used',
    async (name) => {
      for (const place of [
        'http://as.example/x',
        'javascript:alert(1)',
        'https://169.254.169.254/x',
        'https://127.0.0.1/x',
        'nowhere',
      ]) {
        const site = {
          ...prm('https://as.example'),
          'https://as.example/.well-known/oauth-authorization-server': {
            issuer: 'https://as.example',
            ...AS,
            [name]: place,
          },
        };
        expect((await failureOf(among(site, server))).fault).toBe('server-metadata');
      }
    },
  );

  it('that is nowhere is an error that names the authorization server', async () => {
    const error = await failureOf(among(prm('https://as.example/x'), server));
    expect(error.fault).toBe('server-metadata');
    expect(error.message).toContain('https://as.example/x');
  });
});

describe('a server that is out of order', () => {
  const server = 'https://mcp.example/mcp';
  const prm = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
  const as = 'https://as.example/.well-known/oauth-authorization-server';
  const answers =
    (broken: string, status: number) =>
    async (url: string | URL): Promise<Response> => {
      if (String(url) === broken) return new Response('', { status });
      if (String(url) === prm)
        return Response.json({ resource: server, authorization_servers: ['https://as.example'] });
      return String(url) === as
        ? Response.json({ issuer: 'https://as.example', ...AS })
        : new Response('', { status: 404 });
    };

  it.each([502, 503, 504, 429])('(%d) is not taken for one that has nothing to say', async (status) => {
    for (const broken of [prm, as]) {
      const error = await failureOf(discover(new URL(server), { fetch: answers(broken, status) }));
      expect(error.fault).toBe('unavailable');
      expect(error.message).toContain(String(status));
    }
  });

  it('is not taken for one where only unknown paths are answered with 500', async () => {
    const fetch = async (url: string | URL): Promise<Response> =>
      String(url) === 'https://mcp.example/.well-known/oauth-protected-resource'
        ? Response.json({ resource: 'https://mcp.example', authorization_servers: ['https://as.example'] })
        : String(url) === 'https://as.example/.well-known/openid-configuration'
          ? Response.json({ issuer: 'https://as.example', ...AS })
          : new Response('', { status: 500 });
    expect((await discover(new URL(server), { fetch })).metadata.issuer).toBe('https://as.example');
  });
});

describe('servers of the first revision', () => {
  proves('L-AUTH-011, L-AUTH-015, L-AUTH-016').it('have their metadata at the root of their origin', async () => {
    const origin = 'https://api.example';
    const site = { [`${origin}/.well-known/oauth-authorization-server`]: { issuer: origin, ...AS } };
    const { asked, found } = await among(site, `${origin}/v1/mcp`);
    expect(asked.at(-1)).toBe(`${origin}/.well-known/oauth-authorization-server`);
    expect(found).toMatchObject({ isAssumed: false, resource: `${origin}/v1/mcp`, metadata: AS });
  });

  proves('L-AUTH-015, L-AUTH-016, M-AD-017').it('without metadata have the default endpoints', async () => {
    const { found } = await among({}, 'https://api.example/v1/mcp');
    expect(found.isAssumed).toBe(true);
    expect(found.metadata).toMatchObject({
      authorization_endpoint: 'https://api.example/authorize',
      token_endpoint: 'https://api.example/token',
      registration_endpoint: 'https://api.example/register',
    });
  });
});
