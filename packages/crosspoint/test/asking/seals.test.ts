import { createHash, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isNextRound } from '../../src/server/asking/replay/ledger.ts';
import { openRound, sealRound, type RoundRules } from '../../src/server/asking/replay/round-state.ts';
import { canonical } from '../../src/server/asking/seals/canonical.ts';
import { cryptography, type Cryptography } from '../../src/server/asking/seals/cryptography.ts';
import { digest } from '../../src/server/asking/seals/digest.ts';
import { createHandles } from '../../src/server/asking/seals/handles.ts';
import { nodeCryptography } from '../../src/server/asking/seals/node-crypto.ts';
import { createSealer, stateRefused } from '../../src/server/asking/seals/sealer.ts';
import * as webCryptography from '../../src/server/asking/seals/web-crypto.ts';
import { keepState, keptState } from '../../src/server/stored/kept-states.ts';
import { fromBase64Url, toBase64Url } from '../../src/runtime/base64url.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const KEY = 'k'.repeat(32);
const DAY = 86_400_000;

describe('canonical JSON', () => {
  it.each([
    [undefined, 'null'],
    [null, 'null'],
    ['a"b', '"a\\"b"'],
    [1.5, '1.5'],
    [[], '[]'],
    [[1, undefined, 'a', null], '[1,null,"a",null]'],
    [{}, '{}'],
    [{ b: 1, a: [2, { d: 1, c: undefined }], e: undefined, '': 3 }, '{"":3,"a":[2,{"d":1}],"b":1}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
  ])('%j is %s', (value, text) => expect(canonical(value)).toBe(text));

  it('goes down 501 levels of lists or objects, and no further', () => {
    const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = wrap(value);
      return value;
    };
    for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
      expect(canonical(nested(501, wrap))).toBe(JSON.stringify(nested(501, wrap)));
      expect(() => canonical(nested(502, wrap))).toThrow('nested deeper than 500');
    }
  });

  it('has a digest of 128 bits, which is that of its text', () => {
    const expected = createHash('sha256').update('{"a":"ä","b":1}').digest('hex').slice(0, 32);
    expect(digest({ b: 1, a: 'ä' })).toBe(expected);
  });
});

describe('base64url', () => {
  const BYTES = [[], [0], [251, 255], [251, 255, 254], [62, 63, 250, 1]].map((bytes) => Uint8Array.from(bytes));

  it('is the same with and without Buffer', async () => {
    const { Buffer: kept } = globalThis;
    // A copy of the module that was loaded where there is no Buffer.
    const path = '../../src/runtime/base64url.ts?without-buffer';
    Reflect.deleteProperty(globalThis, 'Buffer');
    let plain: { toBase64Url: typeof toBase64Url; fromBase64Url: typeof fromBase64Url };
    try {
      plain = (await import(/* @vite-ignore */ path)) as typeof plain;
    } finally {
      globalThis.Buffer = kept;
    }
    for (const bytes of BYTES) {
      const text = kept.from(bytes).toString('base64url');
      expect([toBase64Url(bytes), plain.toBase64Url(bytes)]).toEqual([text, text]);
      expect([...fromBase64Url(text)]).toEqual([...bytes]);
      expect([...plain.fromBase64Url(text)]).toEqual([...bytes]);
    }
    for (const wrong of ['AA==', 'AB', '+/8', 'A A', 'A']) {
      expect(() => fromBase64Url(wrong), wrong).toThrow();
      expect(() => plain.fromBase64Url(wrong), wrong).toThrow();
    }
    expect(() => fromBase64Url('AB')).toThrow('The text is not canonical base64url.');
  });

  it('takes a part of a buffer for itself', () => {
    expect(toBase64Url(Uint8Array.of(1, 2, 3, 4, 5, 6).subarray(1, 4))).toBe('AgME');
  });
});

describe.each<[string, Cryptography]>([
  ['of Node', nodeCryptography() as Cryptography],
  ['of the web', webCryptography as Cryptography],
])('the cryptography %s', (_name, own) => {
  const secret = new Uint8Array(32).fill(7);
  const key = own.deriveKey(secret, 'test');
  const sealedBytes = async (text: string): Promise<Uint8Array> => fromBase64Url(await own.encrypt(key, text, 'bound'));
  const opened = async (sealed: Uint8Array, bound = 'bound'): Promise<string> =>
    own.decrypt(key, toBase64Url(sealed), bound);

  it('hashes texts and bytes alike, and opens what the other has sealed', async () => {
    const hex = createHash('sha256').update('é').digest('hex');
    expect([own.hash('é'), own.hash(new TextEncoder().encode('é'))]).toEqual([hex, hex]);
    for (const other of [nodeCryptography() as Cryptography, webCryptography as Cryptography]) {
      const sealed = await other.encrypt(other.deriveKey(secret, 'test'), 'näme', 'bound');
      expect(await own.decrypt(key, sealed, 'bound')).toBe('näme');
    }
  });

  it('adds a nonce of 12 and a tag of 16 bytes, also to nothing', async () => {
    const sealed = await sealedBytes('');
    expect(sealed).toHaveLength(28);
    expect(await opened(sealed)).toBe('');
    const more = await sealedBytes('abc');
    expect(more).toHaveLength(31);
    expect(await opened(more)).toBe('abc');
  });

  it('refuses less than a nonce and a tag', async () => {
    for (const length of [0, 4, 12, 27, 28]) await expect(opened(new Uint8Array(length))).rejects.toThrow();
    const sealed = await sealedBytes('abc');
    for (let cut = 1; cut < sealed.length; cut += 1) await expect(opened(sealed.slice(0, -cut))).rejects.toThrow();
  });

  it('refuses other bytes, another spelling, another key and another binding', async () => {
    const sealed = await sealedBytes('v');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(opened(changed)).rejects.toThrow();
    }
    await expect(opened(sealed, 'other')).rejects.toThrow();
    const text = toBase64Url(sealed);
    for (const spelled of [`${text}=`, ` ${text}`, `${text.slice(0, 5)}\n${text.slice(5)}`])
      await expect((async () => own.decrypt(key, spelled, 'bound'))(), spelled).rejects.toThrow();
    const others = [own.deriveKey(secret, 'other'), own.deriveKey(new Uint8Array(32), 'test')];
    for (const other of others) await expect((async () => own.decrypt(other, text, 'bound'))()).rejects.toThrow();
  });

  it('never uses a nonce twice, through several fetches of random bytes', async () => {
    const sealed = await Promise.all(Array.from({ length: 200 }, () => sealedBytes('')));
    expect(new Set(sealed.map((bytes) => toBase64Url(bytes.subarray(0, 12)))).size).toBe(200);
  });
});

describe('the sealer', () => {
  const at = 20_000 * DAY + 5;
  const id = createHash('sha256').update(KEY).digest('hex').slice(0, 8);

  /** Cryptography that notes its keys and bindings, and hides nothing. */
  function openCrypto(): Cryptography & { readonly seen: { key: object; bound: string }[] } {
    const seen: { key: object; bound: string }[] = [];
    const note = (key: object, text: string, bound: string): string => {
      seen.push({ key, bound });
      return text;
    };
    const deriveKey = (secret: Uint8Array, purpose: string): object =>
      new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
    const toText = (text: string): string => toBase64Url(new TextEncoder().encode(text));
    const fromText = (text: string): string => new TextDecoder().decode(fromBase64Url(text));
    return {
      seen,
      hash: (data) => cryptography().hash(data),
      deriveKey,
      encrypt: (key, text, bound) => toText(note(key, text, bound)),
      decrypt: (key, text, bound) => fromText(note(key, text, bound)),
    };
  }

  it('writes its format, the key, the day and the text, and binds all of them', () => {
    const crypto = openCrypto();
    const sealer = createSealer([KEY], () => at, crypto);
    const token = sealer.seal({ a: 1 }, 'call') as string;
    expect(token).toBe(`c1.${id}.${(20_000).toString(36)}.${toBase64Url(new TextEncoder().encode('{"a":1}'))}`);
    expect(sealer.open(token, 'call')).toEqual({ a: 1 });
    expect(crypto.seen.map(({ bound }) => bound)).toEqual(Array(2).fill(`c1\n${id}\n20000\ncall`));
  });

  it('derives a key for each day, and remembers those of 65 days', () => {
    const crypto = openCrypto();
    let now = at;
    const sealer = createSealer([KEY], () => now, crypto);
    const keyOn = (day: number): Uint8Array | undefined => {
      now = at + day * DAY;
      void sealer.seal(1, 'b');
      return crypto.seen.at(-1)?.key as Uint8Array | undefined;
    };
    const first = keyOn(0);
    const derived = hkdfSync('sha256', KEY, '', 'crosspoint request state 20000', 32);
    expect([...(first ?? [])]).toEqual([...new Uint8Array(derived)]);
    expect([...(keyOn(1) ?? [])]).not.toEqual([...(first ?? [])]);
    for (let day = 2; day < 65; day += 1) keyOn(day);
    expect(keyOn(0)).toBe(first);
    keyOn(65);
    expect(keyOn(0)).not.toBe(first);
    expect(keyOn(0)).toEqual(first);
  });

  it('opens states of 400 days around today, and no others', () => {
    const day = 20_000;
    let now = day * DAY;
    const sealer = createSealer([KEY], () => now);
    const token = sealer.seal('v', 'b') as string;
    for (const away of [0, 1, 399.5, 400, -400]) {
      now = (day + away) * DAY;
      expect(sealer.open(token, 'b'), String(away)).toBe('v');
    }
    for (const away of [400.001, 401, -400.001, 5000]) {
      now = (day + away) * DAY;
      expect(() => sealer.open(token, 'b'), String(away)).toThrow('is refused');
    }
  });

  it('knows a day in one spelling', () => {
    const crypto = openCrypto();
    const sealer = createSealer([KEY], () => at, crypto);
    const [version, key, day = '', text] = (sealer.seal('v', 'b') as string).split('.');
    for (const other of [
      `0${day}`,
      day.toUpperCase(),
      ` ${day}`,
      `${day} `,
      `+${day}`,
      `${day}-`,
      '',
      '-',
      'zzzzzzzzzzzzz',
    ])
      expect(() => sealer.open([version, key, other, text].join('.'), 'b'), other).toThrow('is refused');
    for (const parts of [
      [version, key, day],
      [version, key],
      [version, key, day, text, ''],
      [version, key, day, text, 'x'],
    ])
      expect(() => sealer.open(parts.join('.'), 'b')).toThrow('is refused');
  });

  it('opens a token of 2 MiB, and does not look at a longer one', () => {
    const crypto = openCrypto();
    const sealer = createSealer([KEY], () => at, crypto);
    const most = 2 * 1024 * 1024;
    const head = (sealer.seal(1, 'b') as string).lastIndexOf('.') + 1;
    // Two quotation marks around the text; four characters for three bytes.
    const fitting = 'x'.repeat(Math.floor(((most - head) * 3) / 4) - 2);
    const token = sealer.seal(fitting, 'b') as string;
    expect(token.length).toBeGreaterThan(most - 3);
    expect(sealer.open(token, 'b')).toBe(fitting);
    const before = crypto.seen.length;
    const longer = sealer.seal(`${fitting}xxx`, 'b') as string;
    expect(() => sealer.open(longer, 'b')).toThrow('is refused');
    expect(crypto.seen).toHaveLength(before + 1);
  });

  it('refuses text that is no JSON, with one reason for all', async () => {
    const token = createSealer([KEY], () => at).seal(1, 'b') as string;
    const own = cryptography();
    const message = stateRefused().message;
    const now: Cryptography = { ...own, decrypt: () => '{' };
    expect(() => createSealer([KEY], () => at, now).open(token, 'b')).toThrow(message);
    for (const decrypt of [() => Promise.resolve('{'), () => Promise.reject(new Error('changed'))])
      await expect(createSealer([KEY], () => at, { ...own, decrypt }).open(token, 'b')).rejects.toThrow(message);
    expect(stateRefused().message).toContain('it was altered, is not ours, or belongs to another call');
    expect(stateRefused('why')).toMatchObject({
      kind: 'state-refused',
      message: 'The requestState is refused: why. Call again from the start.',
    });
  });

  it('says of an unknown key that it may be that of another process', () => {
    const token = createSealer(['o'.repeat(32)], () => at).seal(1, 'b') as string;
    expect(() => createSealer([KEY], () => at).open(token, 'b')).toThrow(/another process or before a restart/);
  });
});

describe('handles', () => {
  const clock = new ManualClock(1e12);
  const handles = createHandles<{ items: number[] }>({ purpose: 'a basket', keys: [KEY], ttlMs: 1000, clock });
  const ann = { principal: 'ann' };

  it('open for their owner until they expire', async () => {
    const handle = await handles.mint(ann, { items: [1] });
    expect(await handles.open(ann, handle)).toEqual({ items: [1] });
    await clock.advance(1000);
    expect(await handles.open(ann, handle)).toEqual({ items: [1] });
    await clock.advance(1);
    await expect(handles.open(ann, handle)).rejects.toThrow('The handle for a basket has expired.');
  });

  it('open for nobody else, and for no other purpose', async () => {
    const handle = await handles.mint(ann, { items: [] });
    const other = createHandles({ purpose: 'an order', keys: [KEY], clock });
    const mine = 'This is not a handle of yours for';
    await expect(handles.open({ principal: 'bob' }, handle)).rejects.toThrow(`${mine} a basket.`);
    await expect(handles.open({ principal: undefined }, handle)).rejects.toThrow(mine);
    await expect(other.open(ann, handle)).rejects.toThrow(`${mine} an order.`);
    await expect(handles.open(ann, `${handle}A`)).rejects.toThrow(mine);
    // A state of a call, sealed with the same keys, is no handle.
    const state = await createSealer([KEY], () => clock.now()).seal({ x: 2e12, v: 1 }, '["a basket","ann"]');
    await expect(handles.open(ann, state)).rejects.toThrow(mine);
  });

  it('belong to the name of the context, or that of its token where there is none', async () => {
    const authInfo = { token: 't', clientId: 'app', scopes: [], extra: { sub: 'ann' } };
    const handle = await handles.mint({ authInfo }, { items: [2] });
    expect(await handles.open({ principal: '["app","ann"]' }, handle)).toEqual({ items: [2] });
    await expect(handles.open({ principal: undefined, authInfo }, handle)).rejects.toThrow('not a handle of yours');
    const nameless = await handles.mint({}, { items: [3] });
    expect(await handles.open({ principal: undefined }, nameless)).toEqual({ items: [3] });
  });

  it('live for an hour, and in one process, where nothing is said', async () => {
    const own = createHandles<number>({ purpose: 'p', clock });
    const handle = await own.mint(ann, 1);
    await clock.advance(3_600_000);
    expect(await own.open(ann, handle)).toBe(1);
    await expect(createHandles({ purpose: 'p', clock }).open(ann, handle)).rejects.toThrow('not a handle of yours');
    await clock.advance(1);
    await expect(own.open(ann, handle)).rejects.toThrow('expired');
  });
});

describe('the state of a round', () => {
  const clock = new ManualClock(1000);
  const STATE = { c: 'call', n: 1, x: 1000, t: 'def', j: {}, p: {} };
  const rulesFor = (opened: unknown, more: Partial<RoundRules> = {}): RoundRules =>
    ({
      sealer: { seal: (value: unknown) => JSON.stringify(value), open: () => opened },
      bound: 'b',
      definition: 'def',
      clock,
      leftBy: 'ann',
      ttlMs: 5000,
      maxStateBytes: 100,
      ...more,
    }) as unknown as RoundRules;
  const open = (opened: unknown, more?: Partial<RoundRules>): Promise<unknown> =>
    openRound(rulesFor(opened, more), { state: 's', answers: {} } as never);

  it('is opened until it expires, for the definition it was made for', async () => {
    expect(await open(STATE)).toBe(STATE);
    expect(await openRound(rulesFor(STATE), { answers: {} } as never)).toBeUndefined();
    await expect(open({ ...STATE, x: 999 })).rejects.toThrow('it has expired');
    await expect(open({ ...STATE, t: 'other' })).rejects.toThrow('what was called has changed since');
  });

  it.each([
    [null],
    ['text'],
    [[STATE]],
    [{ ...STATE, c: 1 }],
    [{ ...STATE, n: '1' }],
    [{ ...STATE, x: '1000' }],
    [{ ...STATE, x: undefined }],
    [{ ...STATE, j: [] }],
    [{ ...STATE, p: null }],
    [{ kept: 'state:x' }],
  ])('is refused where a member is missing or of another kind: %j', async (opened) => {
    await expect(open(opened)).rejects.toMatchObject({ kind: 'state-refused' });
  });

  it('is carried up to the limit, stored beyond it, and an error where there is no store', async () => {
    const state = { ...STATE, u: '' } as never;
    const fits = JSON.stringify(state).length;
    const store = memoryStore({ now: () => clock.now() });
    expect(await sealRound(rulesFor(undefined, { maxStateBytes: fits, store }), state)).toBe(JSON.stringify(state));
    const stored = await sealRound(rulesFor(undefined, { maxStateBytes: fits - 1, store }), state);
    expect(JSON.parse(stored)).toEqual({ kept: expect.stringMatching(/^state:[\da-f-]{36}$/) as string });
    await expect(sealRound(rulesFor(undefined, { maxStateBytes: fits - 1 }), state)).rejects.toMatchObject({
      kind: 'internal',
      message: expect.stringMatching(new RegExp(`larger than ${fits - 1} bytes`)) as string,
    });
  });

  it('that is stored expires with its call, and counts for its caller', async () => {
    const store = memoryStore({ now: () => clock.now() });
    const options: unknown[] = [];
    const put = store.put.bind(store);
    store.put = (key, value, given) => (options.push(given), put(key, value, given));
    const rules = rulesFor(STATE, { store });
    const { kept } = JSON.parse(await keepState(store, rules, 'sealed')) as { kept: string };
    expect(options).toEqual([{ ttlMs: 5000, leftBy: 'ann' }]);
    expect(await keptState(store, rules, { kept })).toBe(STATE);
    expect(await keptState(store, rules, { kept: 5 })).toEqual({ kept: 5 });
    expect(await keptState(store, rules, 'other')).toBe('other');
    await store.put('state:odd', 5);
    for (const name of ['state:odd', 'state:none'])
      await expect(keptState(store, rules, { kept: name })).rejects.toThrow('it has expired');
  });
});

describe('answers that come back', () => {
  const back = (round: number, answers = 'a'): never => ({ round, answers }) as never;

  it('begin the next round after one that asked, and repeat the last one', () => {
    expect(isNextRound({ n: 0 }, back(1))).toBe(true);
    expect(isNextRound({ n: 1, a: 'a', end: { state: 'asked' } }, back(2))).toBe(true);
    expect(isNextRound({ n: 1, a: 'a', end: { state: 'done' } }, back(1))).toBe(false);
    expect(isNextRound({ n: 1, a: 'a' }, back(1))).toBe(false);
  });

  it('are refused for a call that is forgotten, a round that is not next, and other answers', () => {
    expect(() => isNextRound(undefined, back(1))).toThrow('its call is not known here any more');
    for (const end of [undefined, { state: 'done' }, { state: 'failed' }] as const)
      expect(() => isNextRound({ n: 1, a: 'a', end }, back(2))).toThrow('it was used before.');
    expect(() => isNextRound({ n: 3, a: 'a', end: { state: 'asked' } }, back(2))).toThrow('it was used before.');
    expect(() => isNextRound({ n: 0 }, back(2))).toThrow('it was used before.');
    expect(() => isNextRound({ n: 1, a: 'b' }, back(1))).toThrow('it was used before, with other answers');
  });
});
