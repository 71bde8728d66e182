import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EncryptJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createAuthorizationServer } from '../../../authorization-server/src/issuing/authorization-server.ts';
import { KeyedSecret } from '../../../authorization-server/src/http/keyed-secret.ts';
import { unattendedLogin } from '../../../authorization-server/src/login/unattended-login.ts';
import { thirdParty } from '../../../authorization-server/src/upstream/third-party.ts';
import { createSecret, type Secret } from '../../src/runtime/secret.ts';
import { createHandles } from '../../src/server/asking/seals/handles.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { ROOT } from '../docs/doc-blocks.ts';

/** Each place that takes a secret, with the name by which an error calls it. */
const PLACES: readonly (readonly [name: string, use: (secret: Secret) => unknown])[] = [
  ['asking.keys[0]', (secret) => new McpServer({ name: 'a', version: '1' }, { asking: { keys: [secret] } })],
  ['keys[0]', (secret) => createHandles({ purpose: 'a basket', keys: [secret] })],
  [
    'secret',
    (secret) =>
      createAuthorizationServer({
        issuer: 'http://127.0.0.1:9',
        resource: 'https://mcp.example/mcp',
        login: unattendedLogin({ sub: 'ada' }),
        secret,
      }),
  ],
  [
    'secret',
    (secret) =>
      thirdParty({
        name: 'hub',
        baseUrl: 'https://mcp.example',
        issuer: 'https://hub.example',
        clientId: 'c',
        people: { identify: async () => undefined, loginUrl: () => undefined },
        secret,
      } as unknown as Parameters<typeof thirdParty>[0]),
  ],
];

describe.each(PLACES)('a secret in %s', (name, use) => {
  it('is a text or bytes, of 32 bytes or more', () => {
    for (const secret of [createSecret(), new Uint8Array(32), new Uint8Array(64), 'ü'.repeat(16)])
      expect(() => use(secret)).not.toThrow();
  });

  it('is refused at once when it is too short, with how many bytes came and how to make one', () => {
    expect(() => use('short')).toThrow(
      `${name} has 5 bytes, a secret has at least 32: createSecret() of crosspoint makes one.`,
    );
    expect(() => use(new Uint8Array(31))).toThrow(`${name} has 31 bytes`);
  });

  it('is refused when it is something else, such as a variable that is not set', () => {
    expect(() => use(null as unknown as string)).toThrow(`${name} must be a text or bytes, not null`);
    expect(() => use(7 as unknown as string)).toThrow(`${name} must be a text or bytes, not a number`);
  });
});

describe('createSecret', () => {
  it('makes a text of 32 random bytes, another one each time', () => {
    expect(createSecret()).toMatch(/^[\w-]{43}$/);
    expect(createSecret()).not.toBe(createSecret());
  });
});

describe('the key of an authorization server', () => {
  const now = (): number => 0;

  it('is the same for the same secret, given as text or as its bytes', async () => {
    const secret = createSecret();
    const sealed = await new KeyedSecret(secret, now).seal({ a: 1 });
    expect(await new KeyedSecret(new TextEncoder().encode(secret), now).open(sealed)).toEqual({ a: 1 });
    expect(await new KeyedSecret(createSecret(), now).open(sealed)).toBeUndefined();
  });

  it('is the secret itself where that has 32 bytes, so that what was sealed with it stays readable', async () => {
    const key = new Uint8Array(32).fill(7);
    const sealed = await new EncryptJWT({ a: 1 }).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
    expect(await new KeyedSecret(key, now).open(sealed)).toEqual({ a: 1 });
  });
});

describe('the sentence that explains secrets', () => {
  it.each(['asking', 'state-without-sessions', 'deploying', 'authorization-server'])(
    'is in the guide to %s',
    (page) => {
      expect(readFileSync(join(ROOT, `docs/guide/${page}.md`), 'utf8')).toContain(
        'A secret has at least 32 bytes, as text or bytes; `createSecret()` makes one.',
      );
    },
  );
});
