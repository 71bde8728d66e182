import { array, assert, constantFrom, dictionary, letrec, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Ask } from '../../src/protocol/outcome.ts';
import { revisions } from '../../src/revisions/index.ts';
import { isSpecificationMethod } from '../../src/revisions/specification-methods.ts';
import {
  answers,
  choice,
  clientCapabilities,
  deepFreeze,
  form,
  initialised,
  plainSampling,
  results,
  roots,
  server,
  serverCapabilities,
  toolSampling,
  url,
} from './samples.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const frozen = deepFreeze(
  structuredClone({
    results,
    answers,
    initialised,
    server,
    serverCapabilities,
    clientCapabilities,
    asks: [form, choice, url, roots, plainSampling, toolSampling],
  }),
);
const methods = [...new Set(revisions.flatMap((revision) => [...revision.methods.keys()]))];

/** Objects that use the protocol's words in the wrong places and with the wrong types, `__proto__` among them. */
const words = [
  '_meta',
  'content',
  'tools',
  'type',
  'structuredContent',
  'annotations',
  'messages',
  'resource',
  'mode',
  'requestedSchema',
  'properties',
  'oneOf',
  'experimental',
  'capabilities',
  'elicitation',
  'sampling',
  'progressToken',
  'title',
  'icons',
  'inputSchema',
  '__proto__',
];
const { object } = letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  value: oneof(
    { depthSize: 'small' },
    constantFrom(null, true, 1.5, 'audio', 'resource_link', 'array'),
    array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: dictionary(constantFrom(...words), tie('value'), { maxKeys: 5 }),
}));

/** Written or refused: either is fine, as long as the argument stays as it was (a write to it would throw a TypeError). */
function attempt(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    expect(['ProtocolError', 'TransportError']).toContain((error as Error).name);
  }
}

describe.each(revisions)('$id', (revision) => {
  it('changes none of the samples', () => {
    for (const { method, result } of [...frozen.results, ...frozen.answers])
      revision.writeResult(method, { kind: 'complete', result }, frozen.server);
    revision.writeResult('initialize', { kind: 'complete', result: frozen.initialised }, frozen.server);
    for (const ask of frozen.asks) revision.writeAsk(ask);
    revision.writeServerCapabilities(frozen.serverCapabilities);
    clientWordsOf(revision).writeClientCapabilities(frozen.clientCapabilities);
  });

  it('writes twice what it writes once', () => {
    for (const { method, result } of [...frozen.results, ...frozen.answers]) {
      const once = revision.writeResult(method, { kind: 'complete', result }, frozen.server);
      expect(revision.writeResult(method, { kind: 'complete', result: once }, frozen.server)).toEqual(once);
    }
    for (const ask of frozen.asks) {
      const once = revision.writeAsk(ask);
      if (once) expect(revision.writeAsk(once)).toEqual(once);
    }
  });

  it('changes nothing it is given, and throws nothing but errors of its own', () => {
    assert(
      property(constantFrom(...methods), object, (method, raw) => {
        const value = deepFreeze(raw);
        const copy = structuredClone(value);
        attempt(() => revision.readRequest({ jsonrpc: '2.0', id: 1, method, params: value }));
        attempt(() =>
          clientWordsOf(revision).writeRequest({
            method,
            params: value,
            facts: { capabilities: value },
            progressToken: 1,
            retry: { answers: value },
          }),
        );
        attempt(() => clientWordsOf(revision).readResult(method, value));
        attempt(() => revision.writeResult(method, { kind: 'complete', result: value }, frozen.server));
        attempt(() => revision.writeResult(method, { kind: 'task', task: value }, frozen.server));
        attempt(() => revision.writeNotification(method, value));
        for (const ask of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const)
          attempt(() => revision.writeAsk({ method: ask, params: value } satisfies Ask));
        attempt(() => clientWordsOf(revision).writeClientCapabilities(value));
        attempt(() => revision.writeServerCapabilities(value));
        expect(value).toEqual(copy);
      }),
      { numRuns: 300 },
    );
  });
});

describe.each(revisions)('notifications in $id', (revision) => {
  it('are written where there is such a one', () => {
    for (const method of methods) {
      const written = revision.writeNotification(method, { a: 1 });
      expect(written !== undefined, method).toBe(revision.methods.get(method)?.kind === 'notification');
    }
    expect(isSpecificationMethod('notifications/own')).toBe(false);
    expect(revision.writeNotification('notifications/own', {})).toBeUndefined();
  });

  it('say which subscription they belong to only where there are such', () => {
    const params = { uri: 'file:///a', _meta: { 'io.modelcontextprotocol/subscriptionId': 'L1' } };
    const expected = revision.family === 'handshake' ? { uri: 'file:///a' } : params;
    expect(revision.writeNotification('notifications/resources/updated', params)).toEqual(expected);
  });
});
