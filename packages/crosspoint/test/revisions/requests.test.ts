import { describe, expect, it } from 'vitest';
import type { JSONRPCRequest, JsonObject } from '../../src/jsonrpc/message.ts';
import { ProtocolError } from '../../src/protocol/errors.ts';
import { LOG_LEVELS } from '../../src/protocol/logging.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../../src/protocol/meta.ts';
import type { Facts } from '../../src/protocol/outcome.ts';
import { claimedVersion, revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from './published-schema.ts';
import { clientCapabilities, server } from './samples.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const [newest, ...handshake] = revisions as [Revision, ...Revision[]];
const client = { name: 'acme', version: '3.1' };
const envelope: JsonObject = { [META_PROTOCOL_VERSION]: newest.id, [META_CLIENT_CAPABILITIES]: {} };
const facts: Facts = {
  client,
  capabilities: { roots: { listChanged: true }, tasks: {}, elicitation: {} },
  logLevel: 'info',
};

function request(params?: JsonObject, method: string = 'tools/call'): JSONRPCRequest {
  return params === undefined ? { jsonrpc: '2.0', id: 1, method } : { jsonrpc: '2.0', id: 1, method, params };
}

/** Values of every type, for places where the peer may put anything. */
const oddities: unknown[] = [null, true, 1.5, -1, '', 'x', [], [1], {}, { a: [] }];

describe.each(handshake)('requests in $id', (revision) => {
  it('are a view', () => {
    const params = { name: 'a', _meta: { progressToken: 7 } };
    const inbound = revision.readRequest(request(params));
    expect(inbound).toEqual({
      id: 1,
      method: 'tools/call',
      params,
      facts: undefined,
      retry: undefined,
      progressToken: 7,
    });
    expect(inbound.params).toBe(params);
    expect(revision.readRequest(request()).params).toEqual({});
  });

  proves('L-MESSAGES-027').it('are read whatever stands in _meta', () => {
    for (const value of oddities) {
      expect(() => revision.readRequest(request({ _meta: value }))).not.toThrow();
      expect(() =>
        revision.readRequest(
          request({ _meta: { [META_LOG_LEVEL]: value, [META_CLIENT_INFO]: value, [META_PROTOCOL_VERSION]: value } }),
        ),
      ).not.toThrow();
    }
  });

  it.each([[1.5], [null], [{}], [true], [undefined]])('take %s for no progress token', (progressToken) =>
    expect(revision.readRequest(request({ _meta: { progressToken } })).progressToken).toBeUndefined(),
  );

  it('carry a progress token beside the _meta of the caller, and no envelope', () => {
    const params = { name: 'a', _meta: { ...envelope, 'com.example/a': 1 } };
    expect(clientWordsOf(revision).writeRequest({ method: 'tools/call', params, facts, progressToken: 'p' })).toEqual({
      name: 'a',
      _meta: { 'com.example/a': 1, progressToken: 'p' },
    });
    expect(clientWordsOf(revision).writeRequest({ method: 'tools/call', params, facts })).toEqual({
      name: 'a',
      _meta: { 'com.example/a': 1 },
    });
    expect(
      clientWordsOf(revision).writeRequest({ method: 'tools/call', params: { name: 'a', _meta: envelope }, facts }),
    ).toEqual({
      name: 'a',
    });
    expect(
      clientWordsOf(revision).writeRequest({
        method: 'tools/call',
        params: { name: 'a', requestState: 's', inputResponses: {} },
        facts,
      }),
    ).toEqual({ name: 'a' });
  });

  it('are sent as they are where nothing is to be said', () => {
    const params = { name: 'a' };
    expect(clientWordsOf(revision).writeRequest({ method: 'tools/call', params, facts })).toBe(params);
  });

  proves('L-SCHEMA-024').it('refer to a resource in completion as ever', () => {
    const params = { ref: { type: 'ref/resource', uri: 'file:///{p}' }, argument: { name: 'p', value: 'a' } };
    expect(clientWordsOf(revision).writeRequest({ method: 'completion/complete', params, facts })).toEqual(params);
  });

  const defs = publishedDefinitions(revision.id);
  it.skipIf(!defs)(defs ? 'open in published words' : `(skipped: ${noSchemas})`, () => {
    const params = clientWordsOf(revision).writeRequest({
      method: 'initialize',
      params: { protocolVersion: revision.id, capabilities: clientCapabilities, clientInfo: server },
      facts,
    });
    const schema = defs?.['InitializeRequestParams'] ?? defs?.['InitializeRequest']?.['properties'].params;
    expect(faults(defs ?? {}, schema, params)).toEqual([]);
  });
});

describe('requests in the per-request family', () => {
  it('bring their facts', () => {
    const meta = {
      ...envelope,
      [META_CLIENT_INFO]: client,
      [META_LOG_LEVEL]: 'info',
      progressToken: 9,
      traceparent: '00-x',
    };
    const params = { name: 'a', _meta: meta };
    const inbound = newest.readRequest(request(params));
    expect(inbound).toEqual({
      id: 1,
      method: 'tools/call',
      params,
      facts: { client, capabilities: {}, logLevel: 'info' },
      retry: undefined,
      progressToken: 9,
    });
    expect(inbound.params).toBe(params);
    expect(newest.readRequest(request({ _meta: envelope })).facts).toEqual({ capabilities: {} });
  });

  proves('M-BASE-022').it.each<[string, JsonObject | undefined]>([
    ['_meta', undefined],
    ['_meta', {}],
    ['_meta', { _meta: [] }],
    [META_PROTOCOL_VERSION, { _meta: { [META_CLIENT_CAPABILITIES]: {} } }],
    [META_PROTOCOL_VERSION, { _meta: { ...envelope, [META_PROTOCOL_VERSION]: 3 } }],
    [META_CLIENT_CAPABILITIES, { _meta: { [META_PROTOCOL_VERSION]: newest.id } }],
    [META_CLIENT_CAPABILITIES, { _meta: { ...envelope, [META_CLIENT_CAPABILITIES]: [] } }],
  ])('are refused by name without %s', (name, params) => {
    expect(() => newest.readRequest(request(params))).toThrow(
      expect.objectContaining({ kind: 'invalid-params', code: -32602, message: expect.stringContaining(name) }),
    );
  });

  it('are refused with a log level that is none', () => {
    for (const level of [...oddities, 'warn', 'INFO']) {
      expect(() => newest.readRequest(request({ _meta: { ...envelope, [META_LOG_LEVEL]: level } }))).toThrow(
        expect.objectContaining({ code: -32602 }),
      );
    }
    for (const level of LOG_LEVELS)
      expect(newest.readRequest(request({ _meta: { ...envelope, [META_LOG_LEVEL]: level } })).facts?.logLevel).toBe(
        level,
      );
  });

  proves('M-BASE-032').it('are read whatever stands at the other reserved keys', () => {
    for (const value of oddities) {
      const meta = {
        ...envelope,
        [META_CLIENT_INFO]: value,
        progressToken: value,
        'io.modelcontextprotocol/unheard-of': value,
        traceparent: value,
      };
      expect(newest.readRequest(request({ _meta: meta })).facts).toEqual({ capabilities: {} });
    }
  });

  it('lift the answers off a retry, for the methods that may ask', () => {
    const retry = { requestState: 's', inputResponses: { ok: { action: 'accept' } }, _meta: envelope };
    for (const method of ['tools/call', 'prompts/get', 'resources/read']) {
      expect(newest.readRequest(request(retry, method)).retry).toEqual({
        state: 's',
        answers: { ok: { action: 'accept' } },
      });
    }
    expect(newest.readRequest(request(retry, 'tools/list')).retry).toBeUndefined();
    expect(newest.readRequest(request({ requestState: 's', _meta: envelope })).retry).toEqual({
      state: 's',
      answers: {},
    });
    expect(newest.readRequest(request({ inputResponses: {}, _meta: envelope })).retry).toEqual({ answers: {} });
    expect(() => newest.readRequest(request({ requestState: 1, _meta: envelope }))).toThrow(ProtocolError);
    expect(() => newest.readRequest(request({ inputResponses: [], _meta: envelope }))).toThrow(ProtocolError);
  });

  proves('M-BASE-019').it.each(['server/discover', 'subscriptions/listen', 'tools/call', 'tools/list', 'acme/do'])(
    'say who is calling, and how: %s',
    (method) => {
      const full = {
        [META_PROTOCOL_VERSION]: newest.id,
        [META_CLIENT_CAPABILITIES]: { roots: {}, elicitation: {} },
        [META_CLIENT_INFO]: client,
        [META_LOG_LEVEL]: 'info',
      };
      expect(clientWordsOf(newest).writeRequest({ method, params: { a: 1 }, facts })).toEqual({ a: 1, _meta: full });
      const own = { 'com.example/a': 1, [META_PROTOCOL_VERSION]: 'other' };
      expect(
        clientWordsOf(newest).writeRequest({
          method,
          params: { _meta: own },
          facts,
          progressToken: 0,
          retry: { answers: {} },
        }),
      ).toEqual({ inputResponses: {}, _meta: { 'com.example/a': 1, ...full, progressToken: 0 } });
      expect(clientWordsOf(newest).writeRequest({ method, params: {}, facts: { capabilities: {} } })).toEqual({
        _meta: envelope,
      });
    },
  );

  it('are stamped from one envelope', () => {
    const stamped = (): unknown =>
      clientWordsOf(newest).writeRequest({ method: 'tools/call', params: { name: 'a' }, facts })['_meta'];
    expect(stamped()).toBe(stamped());
  });

  proves('M-MRTR-018, M-MRTR-020').it('bring the state of the last round, and none when it had none', () => {
    const params = { name: 'a', requestState: 'old', inputResponses: { old: {} } };
    expect(
      clientWordsOf(newest).writeRequest({
        method: 'tools/call',
        params,
        facts,
        retry: { state: ' "s" ', answers: { a: 1 } },
      }),
    ).toMatchObject({ requestState: ' "s" ', inputResponses: { a: 1 } });
    const stateless = clientWordsOf(newest).writeRequest({
      method: 'tools/call',
      params,
      facts,
      retry: { answers: {} },
    });
    expect(stateless).toMatchObject({ inputResponses: {} });
    expect(stateless).not.toHaveProperty('requestState');
    expect(stateless).not.toHaveProperty('inputResponses.old');
  });

  it('ask for no task', () =>
    expect(
      clientWordsOf(newest).writeRequest({ method: 'tools/call', params: { name: 'a', task: {} }, facts }),
    ).not.toHaveProperty('task'));

  it('are read back as they were written', () => {
    const wire = clientWordsOf(newest).writeRequest({
      method: 'tools/call',
      params: { name: 'a' },
      facts,
      progressToken: 'p',
      retry: { state: 's', answers: { a: {} } },
    });
    expect(newest.readRequest(request(wire))).toMatchObject({
      facts: { client, logLevel: 'info' },
      progressToken: 'p',
      retry: { state: 's', answers: { a: {} } },
    });
  });

  const defs = publishedDefinitions(newest.id);
  it.skipIf(!defs)(defs ? 'use published words' : `(skipped: ${noSchemas})`, () => {
    const params = clientWordsOf(newest).writeRequest({
      method: 'tools/call',
      params: { name: 'a', arguments: {} },
      facts: { client: server, capabilities: clientCapabilities },
      progressToken: 1,
      retry: { state: 's', answers: {} },
    });
    expect(faults(defs ?? {}, defs?.['CallToolRequestParams'] ?? {}, params)).toEqual([]);
    expect(
      faults(
        defs ?? {},
        defs?.['ClientCapabilities'] ?? {},
        clientWordsOf(newest).writeClientCapabilities(clientCapabilities),
      ),
    ).toEqual([]);
  });
});

describe('the version a request claims', () => {
  it('is what stands there, if anything does', () => {
    expect(claimedVersion(request({ _meta: envelope }))).toBe(newest.id);
    expect(claimedVersion(request({ _meta: { [META_PROTOCOL_VERSION]: 7 } }))).toBe(7);
    for (const params of [
      undefined,
      {},
      { _meta: {} },
      { _meta: null },
      { _meta: 'x' },
      { protocolVersion: newest.id },
    ]) {
      expect(claimedVersion(request(params as JsonObject | undefined))).toBeUndefined();
    }
  });
});
