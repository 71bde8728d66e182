import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainInvalid, isRequestId, kindOf } from '../../src/jsonrpc/message.ts';
import { proves } from '../requirements/proves.ts';

describe('kindOf', () => {
  it.each([
    ['a request with a string id', { jsonrpc: '2.0', id: 'a', method: 'm' }, 'request'],
    ['a request with a number id', { jsonrpc: '2.0', id: 7, method: 'm', params: {} }, 'request'],
    ['a request with id 0', { jsonrpc: '2.0', id: 0, method: 'm' }, 'request'],
    ['a request with an empty id', { jsonrpc: '2.0', id: '', method: 'm' }, 'request'],
    ['a notification', { jsonrpc: '2.0', method: 'm' }, 'notification'],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, 'result'],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: '' } }, 'error'],
    ['an error without id', { jsonrpc: '2.0', error: { code: -1, message: 'x' } }, 'error'],
    ['an error with a null id', { jsonrpc: '2.0', id: null, error: { code: -1, message: 'x' } }, 'error'],
    ['members nobody knows', { jsonrpc: '2.0', method: 'm', more: 1 }, 'notification'],
  ])('knows %s', (_what, message, kind) => {
    expect(kindOf(message)).toBe(kind);
  });

  proves('L-MESSAGES-001, M-BASE-002').it.each([
    ['missing', { method: 'm' }],
    ['2', { jsonrpc: 2, method: 'm' }],
    ['"1.0"', { jsonrpc: '1.0', method: 'm' }],
    ['null', { jsonrpc: null, id: 1, result: {} }],
  ])('refuses a jsonrpc member that is %s', (_what, message) => {
    expect(kindOf(message)).toBe('invalid');
  });

  proves('M-BASE-002').it.each([
    ['method and result', { jsonrpc: '2.0', id: 1, method: 'm', result: {} }],
    ['method and error', { jsonrpc: '2.0', id: 1, method: 'm', error: { code: 1, message: 'x' } }],
  ])('refuses a mix of %s', (_what, message) => {
    expect(kindOf(message)).toBe('invalid');
  });

  proves('L-MESSAGES-003, M-BASE-003, L-SCHEMA-002').it.each([true, {}, [], 1.5, Number.NaN])(
    'refuses the id %j',
    (id) => {
      expect(kindOf({ jsonrpc: '2.0', id, method: 'm' })).toBe('invalid');
      expect(isRequestId(id)).toBe(false);
    },
  );

  proves('L-MESSAGES-004, M-BASE-004').it(
    'takes a null id neither for a request nor for a notification, and would answer it',
    () => {
      const message = { jsonrpc: '2.0', id: null, method: 'ping' };
      expect(kindOf(message)).toBe('invalid');
      expect(explainInvalid(message)).toEqual({ reason: 'The id must not be null.', id: undefined, answerable: true });
    },
  );

  proves('L-MESSAGES-010').it.each([
    ['both', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }],
    ['neither', { jsonrpc: '2.0', id: 1 }],
  ])('refuses a response with %s result and error', (_what, message) => {
    expect(kindOf(message)).toBe('invalid');
  });

  it.each([
    ['no code', { message: 'x' }],
    ['no message', { code: 1 }],
    ['a string for a code', { code: 'x', message: 'x' }],
    ['a fraction for a code', { code: 1.5, message: 'x' }],
    ['no object', 'x'],
  ])('refuses an error with %s', (_what, error) => {
    expect(kindOf({ jsonrpc: '2.0', id: 1, error })).toBe('invalid');
  });

  proves('L-MESSAGES-025').it.each([[[]], [['a']], [null], ['x'], [3]])('refuses the params %j', (params) => {
    expect(kindOf({ jsonrpc: '2.0', id: 1, method: 'm', params })).toBe('invalid');
    expect(kindOf({ jsonrpc: '2.0', method: 'm', params })).toBe('invalid');
  });

  proves('L-SCHEMA-025').it.each([[null], [[]], ['x'], [0]])('refuses the result %j', (result) => {
    expect(kindOf({ jsonrpc: '2.0', id: 1, result })).toBe('invalid');
  });

  proves('M-BASE-013').it('takes method and id together for a request, never for a notification', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.maxSafeInteger()), fc.string(), (id, method) => {
        expect(kindOf({ jsonrpc: '2.0', id, method })).toBe('request');
      }),
    );
  });

  it('has an answer for every JSON value, and a reason for every invalid one', () => {
    const member = fc.oneof(fc.constant('2.0'), fc.jsonValue());
    const almost = fc.record(
      { jsonrpc: member, id: member, method: member, params: member, result: member, error: member },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.jsonValue()), (value) => {
        if (kindOf(value) === 'invalid') expect(explainInvalid(value).reason).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('explainInvalid', () => {
  it.each([
    ['a broken notification', { jsonrpc: '2.0', method: 'm', params: [] }],
    ['a notification of another JSON-RPC', { method: 'm' }],
    ['a broken result', { jsonrpc: '2.0', id: 1, result: null }],
    ['a broken error', { jsonrpc: '2.0', id: 1, error: 'no' }],
  ])('does not want %s answered', (_what, message) => {
    expect(explainInvalid(message).answerable).toBe(false);
  });

  it.each([
    ['a request with bad params', { jsonrpc: '2.0', id: 'a', method: 'm', params: [] }, 'a'],
    ['a request of another JSON-RPC', { id: 3, method: 'm' }, 3],
    ['an id and nothing else', { jsonrpc: '2.0', id: 3 }, 3],
    ['a method that is no string', { jsonrpc: '2.0', id: 3, method: 3 }, 3],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'm' }, undefined],
    ['a number', 3, undefined],
    ['an empty array', [], undefined],
  ])('wants %s answered', (_what, message, id) => {
    expect(explainInvalid(message)).toMatchObject({ answerable: true, id });
  });
});
