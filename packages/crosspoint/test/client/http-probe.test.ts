import { describe, expect, test } from 'vitest';
import { classifyHttpProbe, classifyProbe } from '../../src/client/connecting/probe.ts';
import { selectRevisions } from '../../src/revisions/selection.ts';
import type { HttpFailure } from '../../src/transports/http/client/http-failure.ts';
import { proves } from '../requirements/proves.ts';
import { LEGACY, MODERN } from './fake-server.ts';

const spoken = selectRevisions();
const error = (code: number, data?: unknown): HttpFailure['error'] => ({
  code,
  message: 'm',
  ...(data !== undefined && { data }),
});
const BODIES: Record<string, Pick<HttpFailure, 'contentType' | 'body' | 'error'>> = {
  nothing: { contentType: undefined, body: '', error: undefined },
  HTML: { contentType: 'text/html', body: '<html>', error: undefined },
  'plain text': { contentType: 'text/plain', body: 'invalid session', error: undefined },
  'other JSON': { contentType: 'application/json', body: '{"error":{"code":"BadRequest"}}', error: undefined },
  '-32600': { contentType: 'application/json', body: '{}', error: error(-32600) },
  '-32601': { contentType: 'application/json', body: '{}', error: error(-32601) },
  '-32602': { contentType: 'application/json', body: '{}', error: error(-32602) },
  '-32000': { contentType: 'application/json', body: '{}', error: error(-32000) },
  '-32001': { contentType: 'application/json', body: '{}', error: error(-32001) },
  '-32020': { contentType: 'application/json', body: '{}', error: error(-32020) },
  '-32021': { contentType: 'application/json', body: '{}', error: error(-32021) },
  '-32022': { contentType: 'application/json', body: '{}', error: error(-32022) },
};
const MODERN_BODIES = new Set(['-32020', '-32021', '-32022']);

const cells = (statuses: readonly number[]): [number, string][] =>
  statuses.flatMap((status) => Object.keys(BODIES).map((body): [number, string] => [status, body]));

proves('M-IOP-010, M-IOP-011, M-IOP-012, M-IOP-015').describe('statuses that speak of the server', () => {
  test.each(cells([200, 202, 204, 400, 402, 404, 405, 406, 409, 410, 411, 413, 415, 418, 422, 426]))(
    '%i with %s',
    (status, body) => {
      expect(classifyHttpProbe({ status, ...BODIES[body]! })).toBe(
        MODERN_BODIES.has(body) ? 'per-request' : 'handshake',
      );
    },
  );
});

proves('M-IOP-016').describe('statuses that speak of the way to it decide nothing, whatever comes with them', () => {
  test.each(cells([0, 301, 302, 303, 307, 308, 401, 403, 407, 408, 425, 429, 500, 501, 502, 503, 504, 520]))(
    '%i with %s',
    (status, body) => {
      expect(classifyHttpProbe({ status, ...BODIES[body]! })).toBe('undecided');
    },
  );
});

describe('what follows from a cell', () => {
  const verdict = (status: number, failure: Pick<HttpFailure, 'contentType' | 'body' | 'error'>) =>
    classifyProbe({ kind: 'http', failure: { status, ...failure }, cause: new Error('cause') }, spoken, [MODERN]);

  test('400 and a version that is spoken: asked again in it, or the handshake that is named', () => {
    expect(verdict(400, { ...BODIES['-32022']!, error: error(-32022, { supported: [LEGACY.id] }) })).toMatchObject({
      kind: 'handshake',
      offer: LEGACY,
    });
    expect(
      classifyProbe(
        {
          kind: 'http',
          failure: { status: 400, ...BODIES['-32022']!, error: error(-32022, { supported: [MODERN.id] }) },
          cause: new Error('c'),
        },
        spoken,
        [],
      ),
    ).toMatchObject({ kind: 'again', revision: MODERN });
    expect(verdict(400, { ...BODIES['-32022']!, error: error(-32022, { supported: ['2099-01-01'] }) })).toMatchObject({
      kind: 'incompatible',
    });
  });

  test('400 and another error of the family: reported, and no handshake', () => {
    expect(verdict(400, BODIES['-32020']!)).toMatchObject({ kind: 'incompatible' });
    expect(verdict(400, BODIES['-32021']!)).toMatchObject({ kind: 'incompatible' });
  });

  test('anything unknown: a handshake, and the reason names status and content', () => {
    expect(verdict(404, BODIES['plain text']!)).toMatchObject({
      kind: 'handshake',
      offer: undefined,
      why: 'it answered server/discover with status 404 (text/plain)',
    });
    expect(verdict(400, BODIES['-32600']!)).toMatchObject({
      kind: 'handshake',
      why: 'it answered server/discover with status 400 and error -32600: m',
    });
  });

  test('an obstacle: handed on as it is', () => {
    expect(verdict(503, BODIES['nothing']!)).toMatchObject({ kind: 'undecided', cause: { message: 'cause' } });
  });
});
