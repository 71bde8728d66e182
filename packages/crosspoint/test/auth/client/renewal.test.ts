import { afterEach, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '../../../src/client/index.ts';
import { proves } from '../../requirements/proves.ts';
import { approving, createWorld, failureOf, login, use, type Answer, type World, type WorldOptions } from './world.ts';

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

const refreshes = (world: World): number =>
  world.seen('POST /token').filter(({ form }) => form.get('grant_type') === 'refresh_token').length;

/** Answers refresh requests with `answer`, once it is set. */
function stubborn(): WorldOptions & { answer: Answer | undefined } {
  const options: WorldOptions & { answer: Answer | undefined } = {
    answer: undefined,
    token: ({ form }, usual) =>
      form.get('grant_type') === 'refresh_token' && options.answer !== undefined ? options.answer : usual(),
  };
  return options;
}

describe('renewal', () => {
  it('happens once for many requests that are refused together', async () => {
    const world = await made();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(world.mcp, { authProvider: login(world) }));
    world.expireAll();
    const calls = await Promise.all(
      Array.from({ length: 10 }, () => client.callTool({ name: 'whoami', arguments: {} })),
    );
    expect(calls).toHaveLength(10);
    expect(refreshes(world)).toBe(1);
    expect(world.seen('GET /authorize')).toHaveLength(1);
    await client.close();
  });

  proves('L-AUTH-111').it(
    'happens before a token is over, at the place it came from: nothing is discovered',
    async () => {
      const world = await made({ lifetime: 0 });
      const provider = login(world);
      await use(world, provider);
      const before = world.log.length;
      await use(world, provider);
      const later = world.log.slice(before).map(({ method, path }) => `${method} ${path}`);
      expect(later.some((what) => what.includes('.well-known'))).toBe(false);
      expect(later[0]).toBe('POST /token');
    },
  );

  it('goes to the recorded endpoint, although the server now names another one', async () => {
    const thief = await made();
    const moved: { to?: string } = {};
    const world = await made({
      metadata: (usual) => (moved.to === undefined ? usual : { ...usual, token_endpoint: moved.to }),
    });
    const provider = login(world);
    await use(world, provider);
    moved.to = `${thief.as}/token`;
    world.expireAll();
    await use(world, provider);
    expect(refreshes(world)).toBe(1);
    expect(thief.seen('POST /token')).toEqual([]);
  });

  it('with a dead refresh token leads to one login, and the client stays registered', async () => {
    const options = stubborn();
    const world = await made(options);
    const provider = login(world);
    await use(world, provider);
    options.answer = { status: 400, body: { error: 'invalid_grant' } };
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(2);
    expect(world.seen('POST /register')).toHaveLength(1);
    expect(refreshes(world)).toBe(1);
  });

  it.each([500, 503, 429])('at a server that answers %d keeps everything and asks nobody', async (status) => {
    const options = stubborn();
    const world = await made(options);
    const provider = login(world);
    await use(world, provider);
    const before = await provider.tokens();
    options.answer = { status, body: { error: 'server_error' } };
    world.expireAll();
    const error = await failureOf(use(world, provider));
    expect(error.fault).toBe('unavailable');
    expect(error.message).toContain('try again later');
    expect(world.seen('GET /authorize')).toHaveLength(1);
    expect(await provider.tokens()).toEqual(before);
    options.answer = undefined;
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(1);
  });

  it('that is refused while the token is still good does not take it away', async () => {
    const options = stubborn();
    const world = await made({ ...options, token: options.token! });
    const provider = login(world);
    await use(world, provider);
    const tokens = (await provider.tokens())!;
    // About to be over, and still good.
    await provider.saveTokens({ ...tokens, expires_at: Date.now() + 25_000 });
    options.answer = { status: 400, body: { error: 'invalid_request' } };
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(1);
  });

  it('keeps a refresh token that is not replaced', async () => {
    const world = await made({ refreshTokens: 'fixed' });
    const provider = login(world);
    await use(world, provider);
    const { refresh_token: first } = (await provider.tokens())!;
    for (const _ of [1, 2]) {
      world.expireAll();
      await use(world, provider);
    }
    expect((await provider.tokens())?.refresh_token).toBe(first);
    expect(refreshes(world)).toBe(2);
  });

  it('of a client that was forgotten registers it again, once', async () => {
    const options = stubborn();
    const world = await made(options);
    const provider = login(world);
    await use(world, provider);
    options.answer = { status: 401, body: { error: 'invalid_client' } };
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('POST /register')).toHaveLength(2);
    expect(world.seen('GET /authorize')).toHaveLength(2);
  });

  it('that is refused with a token that is refused again ends in one login', async () => {
    const world = await made({
      token: ({ form }, usual) => {
        const answer = usual();
        if (form.get('grant_type') === 'refresh_token')
          return { body: { ...(answer.body as object), access_token: 'good for nothing' } };
        return answer;
      },
    });
    const provider = login(world);
    await use(world, provider);
    world.expireAll();
    expect(await use(world, provider)).toBe('a user');
    expect(world.seen('GET /authorize')).toHaveLength(2);
  });
});
