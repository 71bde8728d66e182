import { describe, expect, it } from 'vitest';
import {
  FAULT_CODES,
  ProtocolError,
  ToolError,
  TransportError,
  isProtocolError,
  toProtocolError,
  type FaultKind,
} from '../../src/protocol/errors.ts';
import { proves } from '../requirements/proves.ts';

describe('ProtocolError', () => {
  it.each([
    ['parse-error', -32700],
    ['invalid-request', -32600],
    ['method-not-found', -32601],
    ['invalid-params', -32602],
    ['internal', -32603],
  ] satisfies [FaultKind, number][])('gives %s the number %i that JSON-RPC gives it, and back', (kind, code) => {
    expect(new ProtocolError(kind, 'x').code).toBe(code);
    expect(new ProtocolError(code, 'x').kind).toBe(kind);
  });

  it('has an integer for every kind', () => {
    for (const code of Object.values(FAULT_CODES)) expect(Number.isInteger(code)).toBe(true);
  });

  it('keeps a number of the program’s own', () => {
    expect(new ProtocolError(4711, 'x', { why: 1 })).toMatchObject({
      code: 4711,
      kind: 'other',
      data: { why: 1 },
      message: 'x',
    });
  });

  proves('L-MESSAGES-012').it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'turns the code %d into -32603',
    (code) => {
      expect(new ProtocolError(code, 'x')).toMatchObject({ code: -32603, kind: 'internal' });
    },
  );
});

describe('toProtocolError', () => {
  it('leaves a protocol error alone', () => {
    const error = new ProtocolError('invalid-params', 'x');
    expect(toProtocolError(error)).toBe(error);
  });

  it.each([
    ['an error', new Error('the password is hunter2')],
    ['an error with a code', Object.assign(new Error('the password is hunter2'), { code: 'ENOENT' })],
    ['a transport error', new TransportError('closed', 'the password is hunter2')],
    ['a tool error', new ToolError('the password is hunter2')],
    ['a string', 'the password is hunter2'],
    ['nothing', undefined],
    ['an error without message', new Error('')],
  ])('says no more than "Internal error" for %s', (_what, thrown) => {
    const error = toProtocolError(thrown);
    expect(error).toMatchObject({ code: -32603, message: 'Internal error', data: undefined });
    expect(error.cause).toBe(thrown);
  });

  it('knows the errors of another copy of the library', () => {
    const foreign = Object.assign(new Error('x'), { name: 'ProtocolError', kind: 'internal', code: -32603 });
    expect(isProtocolError(foreign)).toBe(true);
    expect(isProtocolError(new Error('x'))).toBe(false);
    expect(isProtocolError({ name: 'ProtocolError', kind: 'internal', code: 1 })).toBe(false);
  });
});
