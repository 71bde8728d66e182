import { describe, expect, it } from 'vitest';
import { FAULT_CODES, ProtocolError, type FaultKind } from '../../src/protocol/errors.ts';
import { missingCapability, unsupportedVersion } from '../../src/revisions/faults.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { selectRevisions } from '../../src/revisions/selection.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from './published-schema.ts';

const [newest, d, ...olderOnes] = revisions as [Revision, Revision, ...Revision[]];
const handshake = [d, ...olderOnes];
const all = selectRevisions();
const kinds = Object.keys(FAULT_CODES) as Exclude<FaultKind, 'other'>[];
const numbers = Array.from({ length: 1000 }, (_, index) => -32000 - index);

/** Every number that can leave: from all kinds and from all numbers a program may have chosen, defined or not. */
function emitted(revision: Revision): Set<number> {
  const errors = [
    ...kinds.map((kind) => new ProtocolError(kind, 'm')),
    ...[...numbers, -1, 0, 7, -31999].map((code) => new ProtocolError(code, 'm')),
  ];
  return new Set(
    [...errors, ...numbers.map((code) => new ProtocolError('other', 'm', undefined, { code }))].map(
      (error) => revision.writeError(error).code,
    ),
  );
}

const codeOf = (revision: Revision, kind: FaultKind): number => revision.writeError(new ProtocolError(kind, 'm')).code;

describe('the numbers of the per-request family', () => {
  it.each<[FaultKind, number]>([
    ['parse-error', -32700],
    ['invalid-request', -32600],
    ['method-not-found', -32601],
    ['invalid-params', -32602],
    ['internal', -32603],
    ['resource-not-found', -32602],
    ['url-elicitation-required', -32603],
    ['header-mismatch', -32020],
    ['missing-capability', -32021],
    ['unsupported-version', -32022],
    ['state-refused', -32602],
    ['diverged', -32603],
    ['cannot-ask', -32603],
    ['other', -32603],
  ])('%s is %i', (kind, code) => expect(codeOf(newest, kind)).toBe(code));

  proves('M-ERR-004').it('are never of the old range', () =>
    expect([...emitted(newest)].filter((code) => code <= -32000 && code >= -32019)).toEqual([]),
  );

  proves('M-ERR-007').it('are never undefined ones of the reserved range', () =>
    expect([...emitted(newest)].filter((code) => code <= -32020 && code >= -32099).sort((x, y) => y - x)).toEqual([
      -32020, -32021, -32022,
    ]),
  );

  proves('M-ERR-008').it('stand for one thing each', () => {
    const kindsOf = (code: number): string[] => kinds.filter((kind) => codeOf(newest, kind) === code);
    expect([-32020, -32021, -32022].map(kindsOf)).toEqual([
      ['header-mismatch'],
      ['missing-capability'],
      ['unsupported-version'],
    ]);
  });

  proves('M-ERR-009').it('do not include the old one for a missing resource', () => {
    expect(emitted(newest).has(-32002)).toBe(false);
    expect(newest.writeError(new ProtocolError(-32002, 'm', { uri: 'file:///a' }))).toEqual({
      code: -32602,
      message: 'm',
      data: { uri: 'file:///a' },
    });
  });

  proves('M-ERR-010').it('do not include the old one for an address to visit', () =>
    expect(emitted(newest).has(-32042)).toBe(false),
  );

  proves('M-ERR-006').it('have no fixed meaning in the old range, apart from one', () => {
    for (const code of numbers.slice(0, 20)) {
      const error = newest.readError({ code, message: 'm' });
      expect([error.kind, error.code]).toEqual([code === -32002 ? 'resource-not-found' : 'other', code]);
    }
  });

  it('tell a missing resource by its uri', () => {
    expect(newest.readError({ code: -32602, message: 'm', data: { uri: 'file:///a' } })).toMatchObject({
      kind: 'resource-not-found',
      code: -32602,
    });
    expect(newest.readError({ code: -32602, message: 'm', data: { uri: 1 } }).kind).toBe('invalid-params');
    expect(newest.readError({ code: -32602, message: 'm' }).kind).toBe('invalid-params');
  });

  proves('M-ERR-015').it('come with both sides of a version', () => {
    const supported = [newest.id];
    expect(newest.writeError(unsupportedVersion('1999-01-01', all))).toMatchObject({
      code: -32022,
      data: { supported, requested: '1999-01-01' },
    });
    expect(newest.writeError(unsupportedVersion(7, all)).data).toEqual({ supported, requested: '7' });
    expect(newest.writeError(unsupportedVersion(undefined, all)).data).toEqual({ supported, requested: '' });
  });

  it('come with the revisions of the other family in words alone', () => {
    const after = handshake.map(({ id }) => id).join(', ');
    expect(unsupportedVersion(d.id, all).message).toBe(
      `Unsupported protocol version: ${d.id}. Supported: ${newest.id}; after initialize: ${after}.`,
    );
    expect(unsupportedVersion(d.id, selectRevisions('per-request')).message).toBe(
      `Unsupported protocol version: ${d.id}. Supported: ${newest.id}.`,
    );
  });

  proves('M-ERR-016').it('come with missing capabilities as an object', () =>
    expect(newest.writeError(missingCapability('elicitation.url', 'elicitation.form', 'sampling'))).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {}, form: {} }, sampling: {} } },
    }),
  );

  const defs = publishedDefinitions(newest.id);
  it.skipIf(!defs)(defs ? 'come in published words' : `(skipped: ${noSchemas})`, () => {
    for (const [name, error] of [
      ['UnsupportedProtocolVersionError', unsupportedVersion('x', all)],
      ['MissingRequiredClientCapabilityError', missingCapability('roots')],
    ] as const) {
      expect(
        faults(defs ?? {}, defs?.[name] ?? {}, { jsonrpc: '2.0', id: 1, error: newest.writeError(error) }),
      ).toEqual([]);
    }
  });
});

describe.each(handshake)('the numbers of $id', (revision) => {
  it.each<[FaultKind, number]>([
    ['parse-error', -32700],
    ['method-not-found', -32601],
    ['invalid-params', -32602],
    ['resource-not-found', -32002],
    ['header-mismatch', -32600],
    ['missing-capability', -32600],
    ['unsupported-version', -32602],
    ['user-rejected', -1],
  ])('%s is %i', (kind, code) => expect(codeOf(revision, kind)).toBe(code));

  proves('M-IOP-057').it('never describe a hop of the other family', () => {
    expect([...emitted(revision)].filter((code) => code <= -32020 && code >= -32022)).toEqual([]);
    const relayed = newest.readError({ code: -32602, message: 'm', data: { uri: 'file:///a' } });
    expect(revision.writeError(relayed)).toEqual({ code: -32002, message: 'm', data: { uri: 'file:///a' } });
    expect(newest.writeError(revision.readError({ code: -32002, message: 'm' })).code).toBe(-32602);
  });

  it('name the versions when one is not spoken', () =>
    expect(revision.writeError(unsupportedVersion('x', all))).toMatchObject({
      code: -32602,
      data: { supported: [newest.id], requested: 'x' },
    }));

  it('mean what they say', () => {
    const meanings = [-32700, -32600, -32601, -32602, -32603, -32002, -32000, -32001, -32020, -32022, -1, 5].map(
      (code) => revision.readError({ code, message: 'm' }).kind,
    );
    expect(meanings).toEqual([
      'parse-error',
      'invalid-request',
      'method-not-found',
      'invalid-params',
      'internal',
      'resource-not-found',
      'other',
      'other',
      'other',
      'other',
      'user-rejected',
      'other',
    ]);
  });

  it('leave numbers of the program alone', () =>
    expect(revision.writeError(new ProtocolError(-32050, 'm')).code).toBe(-32050));
});

describe('an address to visit', () => {
  proves('L-SCHEMA-017').it('has a number of the implementation range in 2025-11-25, and none before', () => {
    expect(codeOf(d, 'url-elicitation-required')).toBe(-32042);
    expect(d.readError({ code: -32042, message: 'm', data: { elicitations: [] } })).toMatchObject({
      kind: 'url-elicitation-required',
      data: { elicitations: [] },
    });
    for (const revision of olderOnes) {
      expect(codeOf(revision, 'url-elicitation-required')).toBe(-32603);
      expect(revision.readError({ code: -32042, message: 'm' }).kind).toBe('other');
    }
  });
});

describe.each(revisions)('any error in $id', (revision) => {
  it('has an integer code and a text', () => {
    for (const odd of [Number.NaN, 1.5, undefined, 'x', null]) {
      expect(revision.readError({ code: odd as number, message: odd as string }).code).toBe(-32603);
      const foreign = Object.assign(new ProtocolError('other', 'm'), { code: odd, message: odd });
      const written = revision.writeError(foreign);
      expect(Number.isInteger(written.code)).toBe(true);
      expect(typeof written.message).toBe('string');
    }
  });

  it('keeps its number and data when read', () => {
    expect(revision.readError({ code: 42, message: 'm', data: [1] })).toMatchObject({
      kind: 'other',
      code: 42,
      message: 'm',
      data: [1],
    });
    expect(revision.writeError(new ProtocolError('internal', 'm'))).not.toHaveProperty('data');
  });
});

describe('a message', () => {
  it.each(revisions)('$id does not send back all that a peer made long', (revision) => {
    expect(
      revision.writeError(new ProtocolError('method-not-found', 'x'.repeat(1_000_000))).message.length,
    ).toBeLessThan(2100);
  });
});
