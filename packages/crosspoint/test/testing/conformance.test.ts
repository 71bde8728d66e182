import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JSONRPCBatch, type JSONRPCMessage, type JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { completable, McpServer, ResourceTemplate, Server, text } from '../../src/server/index.ts';
import { ConformanceError, conformanceRules, expectConformant } from '../../src/testing/index.ts';
import type { Connectable } from '../../src/testing/linked.ts';
import type { ConformanceOptions } from '../../src/testing/conformance/expect-conformant.ts';
import type { Transport } from '../../src/transports/transport.ts';

const IDS = revisions.map(({ id }) => id);
const [NEWEST = '', HANDSHAKE = ''] = IDS;
const EXAMPLES: ConformanceOptions = {
  examples: {
    add: [
      { a: 1, b: 2 },
      { a: 0, b: 0 },
    ],
  },
};

function full(): McpServer {
  const server = new McpServer({ name: 'full', version: '1.0.0' }, { pageSize: 2, capabilities: { logging: {} } });
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ structuredContent: { sum: a + b } }),
  );
  for (const name of ['one', 'two', 'three', 'four']) server.registerTool(name, {}, () => text(name));
  server.registerPrompt('ask', { argsSchema: { who: completable(z.string(), () => ['Ada']) } }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: who } }],
  }));
  server.registerResource('readme', 'doc://readme', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'hello' }] }));
  server.registerResource('doc', new ResourceTemplate('doc://{name}/text', { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'hello' }],
  }));
  return server;
}

type Tamper = (message: JsonObject, request: JsonObject | undefined) => JsonObject | undefined | JsonObject[];

/** A good server whose answers are changed on the way out: what the change breaks is all that is wrong with it. */
function tampered(tamper: Tamper, onRequest?: (request: JsonObject) => JsonObject | undefined): Connectable {
  return {
    connect: (transport) => {
      const asked = new Map<unknown, JsonObject>();
      const inner: Transport = {
        start: async () => {
          transport.onmessage = (message, extra) => {
            const request = message as object as JsonObject;
            if ('id' in request && 'method' in request) asked.set(request['id'], request);
            const own = onRequest?.(request);
            if (own) void transport.send(own as object as JSONRPCMessage);
            else inner.onmessage?.(message, extra);
          };
          transport.onclose = () => inner.onclose?.();
          await transport.start();
        },
        send: (message: JSONRPCMessage | JSONRPCBatch) => {
          const one = message as object as JsonObject;
          const changed = tamper(one, 'method' in one ? undefined : asked.get(one['id']));
          for (const next of [changed ?? []].flat()) void transport.send(next as object as JSONRPCMessage);
        },
        close: () => transport.close(),
      };
      return full().connect(inner);
    },
  };
}

const inResult =
  (method: string, change: (result: JsonObject) => JsonObject): Tamper =>
  (message, request) =>
    request?.['method'] === method && isJsonObject(message['result'])
      ? { ...message, result: change(message['result']) }
      : message;

const isFor = (request: JsonObject | undefined, method: string): boolean => request?.['method'] === method;
const params = (request: JsonObject | undefined): JsonObject => (request?.['params'] ?? {}) as JsonObject;
const answered = (message: JsonObject, code: number): JsonObject => ({
  jsonrpc: '2.0',
  id: message['id'],
  error: { code, message: 'changed' },
});
const firstOf = (list: string, change: JsonObject) => (result: JsonObject) => ({
  ...result,
  [list]: (result[list] as JsonObject[]).map((item, index) => (index === 0 ? { ...item, ...change } : item)),
});

const without =
  (name: string) =>
  (result: JsonObject): JsonObject => ({ ...result, [name]: undefined });

const NO_METHOD = 'crosspoint/no-such-method';

/** One broken server for every rule, in one revision that has it. */
const BROKEN: Record<string, { in: string; server: Connectable; strict?: true; says: RegExp }> = {
  opening: {
    in: HANDSHAKE,
    server: tampered(inResult('initialize', without('serverInfo'))),
    says: /serverInfo/,
  },
  'counter-offer': {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, 'initialize')
        ? {
            ...message,
            result: { ...(message['result'] as JsonObject), protocolVersion: params(request)['protocolVersion'] },
          }
        : message,
    ),
    says: /1999-12-31/,
  },
  lists: {
    in: HANDSHAKE,
    server: tampered(
      inResult('prompts/list', (result) => ({ prompts: [result['prompts'], result['prompts']].flat() })),
    ),
    says: /prompts\/list lists "ask" twice/,
  },
  cursors: {
    in: HANDSHAKE,
    strict: true,
    server: tampered((message, request) =>
      'error' in message && 'cursor' in params(request) ? answered(message, -32_603) : message,
    ),
    says: /unknown cursor was answered with the error -32603/,
  },
  tools: {
    in: HANDSHAKE,
    server: tampered(inResult('tools/list', firstOf('tools', { inputSchema: { type: 'object', properties: 3 } }))),
    says: /input schema of "add" is not valid/,
  },
  prompts: {
    in: HANDSHAKE,
    server: tampered(inResult('prompts/list', firstOf('prompts', { name: 7 }))),
    says: /prompt without a name/,
  },
  resources: {
    in: HANDSHAKE,
    server: tampered(inResult('resources/list', firstOf('resources', { uri: 'readme' }))),
    says: /no absolute URI: "readme"/,
  },
  'unknown-tool': {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, 'tools/call') && params(request)['name'] === 'crosspoint-no-such-tool'
        ? { ...message, error: undefined, result: text('no such tool') }
        : message,
    ),
    says: /unknown tool was answered with a result/,
  },
  'unknown-prompt': {
    in: HANDSHAKE,
    strict: true,
    server: tampered((message, request) =>
      isFor(request, 'prompts/get') && 'name' in params(request) ? answered(message, -32_603) : message,
    ),
    says: /unknown prompt was answered with the error -32603/,
  },
  'unknown-resource': {
    in: HANDSHAKE,
    strict: true,
    server: tampered((message, request) =>
      isFor(request, 'resources/read') && 'uri' in params(request) ? answered(message, -32_602) : message,
    ),
    says: /unknown resource was answered with the error -32602.*instead of the error -32002/,
  },
  'retired-codes': {
    in: NEWEST,
    server: tampered((message, request) =>
      isFor(request, 'resources/read') && 'uri' in params(request) ? answered(message, -32_002) : message,
    ),
    says: /an error that this revision does not have: \{"code":-32002/,
  },
  params: {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, 'resources/read') && !('uri' in params(request)) ? answered(message, -32_603) : message,
    ),
    says: /resources\/read without params/,
  },
  'log-level': {
    in: HANDSHAKE,
    strict: true,
    server: tampered((message, request) =>
      isFor(request, 'logging/setLevel') ? { jsonrpc: '2.0', id: message['id'], result: {} } : message,
    ),
    says: /unknown log level/,
  },
  examples: {
    in: HANDSHAKE,
    server: tampered(inResult('tools/call', (result) => ({ ...result, structuredContent: { sum: 'three' } }))),
    says: /structuredContent of "add" breaks its output schema/,
  },
  arguments: {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, 'tools/call') && isJsonObject(params(request)['arguments'])
        ? { ...message, error: undefined, result: { ...text('3'), structuredContent: { sum: 3 } } }
        : message,
    ),
    says: /"add", called without "a"/,
  },
  version: {
    in: NEWEST,
    server: tampered((message) =>
      isJsonObject(message['error']) && message['error']['code'] === -32_022 ? answered(message, -32_022) : message,
    ),
    says: /names none that does/,
  },
  'request-meta': {
    in: NEWEST,
    server: tampered((message, request) =>
      isFor(request, 'server/discover') && isJsonObject(message['error']) && message['error']['code'] === -32_602
        ? answered(message, -32_600)
        : message,
    ),
    says: /without clientCapabilities was answered with the error -32600/,
  },
  'result-type': {
    in: NEWEST,
    server: tampered(inResult('tools/list', without('resultType'))),
    says: /a result without resultType/,
  },
  'cache-hints': {
    in: NEWEST,
    server: tampered(inResult('prompts/list', without('ttlMs'))),
    says: /prompts\/list gave no ttlMs/,
  },
  'server-info': {
    in: NEWEST,
    strict: true,
    server: tampered(inResult('tools/list', without('_meta'))),
    says: /a result without serverInfo/,
  },
  ping: { in: HANDSHAKE, server: tampered(inResult('ping', () => ({ pong: true }))), says: /"pong":true/ },
  ids: {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, NO_METHOD) && message['id'] === 'a-text' ? [message, message] : message,
    ),
    says: /answered already/,
  },
  'unknown-method': {
    in: HANDSHAKE,
    server: tampered((message, request) => (isFor(request, NO_METHOD) ? answered(message, -32_603) : message)),
    says: /unknown method was answered with the error -32603/,
  },
  notifications: {
    in: HANDSHAKE,
    server: tampered(
      (message) => message,
      (request) =>
        request['method'] === 'notifications/crosspoint/no-such-notification'
          ? { jsonrpc: '2.0', id: 'nobody', error: { code: -32_601, message: 'What?' } }
          : undefined,
    ),
    says: /a notification was answered/,
  },
  capabilities: {
    in: HANDSHAKE,
    server: tampered(
      inResult('initialize', (result) => ({
        ...result,
        capabilities: { ...(result['capabilities'] as JsonObject), completions: undefined },
      })),
    ),
    says: /completion\/complete, undeclared, was answered with the error -32602/,
  },
  vocabulary: {
    in: HANDSHAKE,
    server: tampered((message, request) =>
      isFor(request, 'tools/list') ? [{ jsonrpc: '2.0', method: 'notifications/hello' }, message] : message,
    ),
    says: /notifications\/hello/,
  },
  'meta-keys': {
    in: HANDSHAKE,
    server: tampered(inResult('tools/list', (result) => ({ ...result, _meta: { '-no/-key-': 1 } }))),
    says: /"-no\/-key-" is no key/,
  },
};

async function failure(server: Connectable, options: ConformanceOptions): Promise<ConformanceError> {
  const outcome: unknown = await expectConformant(server, options).catch((error: unknown) => error);
  if (!(outcome instanceof ConformanceError)) throw new Error('It was found to be conformant.', { cause: outcome });
  return outcome;
}

describe('expectConformant', () => {
  it('finds nothing wrong with a server that has everything, in every revision, advice included', async () => {
    const report = await expectConformant(full(), { ...EXAMPLES, strict: true });
    expect(report.revisions).toEqual(IDS);
    expect(report.outcomes.filter(({ outcome }) => outcome === 'broken')).toEqual([]);
    const kept = new Set(report.outcomes.filter(({ outcome }) => outcome === 'kept').map(({ rule }) => rule));
    expect([...kept].sort()).toEqual(conformanceRules.map(({ id }) => id).sort());
  });

  it('finds nothing wrong with a server that has nothing, and says what there was nothing to check for', async () => {
    const report = await expectConformant(new Server({ name: 'bare', version: '1.0.0' }));
    expect(report.revisions).toEqual(IDS);
    expect(report.outcomes.find(({ rule }) => rule === 'tools')).toMatchObject({
      outcome: 'not-checked',
      why: 'the server has no lists',
    });
  });

  it('checks only the revisions that the server speaks, and fails where there are none', async () => {
    const server = new McpServer({ name: 'old', version: '1.0.0' }, { revisions: 'handshake' });
    expect((await expectConformant(server)).revisions).toEqual(IDS.slice(1));
    const error = await failure(server, { revisions: [NEWEST] });
    expect(error.message).toBe('The server speaks none of the revisions that were tried.');
  });

  it('takes what makes a server for each connection', async () => {
    let made = 0;
    await expectConformant(
      () => {
        made += 1;
        return full();
      },
      { revisions: [HANDSHAKE] },
    );
    expect(made).toBe(2);
  });

  it('calls no tool without an example for it', async () => {
    const server = new McpServer({ name: 'dangerous', version: '1.0.0' });
    let calls = 0;
    server.registerTool('launch', { inputSchema: { at: z.string() } }, () => {
      calls += 1;
      return text('gone');
    });
    await expectConformant(server);
    expect(calls).toBe(0);
  });

  it('has a broken server here for every rule', () => {
    expect(Object.keys(BROKEN).sort()).toEqual(conformanceRules.map(({ id }) => id).sort());
  });

  it.each(Object.entries(BROKEN))('fails on a server that breaks the rule "%s", and names it', async (rule, broken) => {
    const options = { ...EXAMPLES, revisions: [broken.in], strict: broken.strict === true };
    const error = await failure(broken.server, options);
    expect([...new Set(error.report.broken.map((outcome) => outcome.rule))]).toEqual([rule]);
    expect(error.message).toMatch(broken.says);
    expect(error.message).toContain(`✗ ${rule} [${broken.in}]`);
  });

  it('leaves out what is to be skipped, and only tells of what is advised', async () => {
    const { ping, cursors } = BROKEN;
    if (ping === undefined || cursors === undefined) throw new Error('There is no such rule.');
    await expectConformant(ping.server, { revisions: [ping.in], skip: ['ping'] });
    const { advice } = await expectConformant(cursors.server, { revisions: [cursors.in] });
    expect(advice.map(({ rule }) => rule)).toEqual(['cursors']);
  });

  it('fails on a list that does not end, by its cursors and by its length', async () => {
    const again = tampered(
      inResult('tools/list', (result) => ({ ...result, nextCursor: 'again' })),
      (request) =>
        isFor(request, 'tools/list') && 'cursor' in params(request)
          ? { jsonrpc: '2.0', id: request['id'], result: { tools: [], nextCursor: 'again' } }
          : undefined,
    );
    expect((await failure(again, { revisions: [HANDSHAKE] })).message).toMatch(/gave the cursor "again" twice/);
    const long = await failure(full(), { revisions: [HANDSHAKE], maxPages: 2 });
    expect(long.message).toMatch(/tools\/list does not end: it has more than 2 pages/);
  });

  it('fails where something is declared that is not there', async () => {
    const server = tampered((message, request) =>
      isFor(request, 'prompts/list') ? answered(message, -32_601) : message,
    );
    const error = await failure(server, { revisions: [HANDSHAKE] });
    expect(error.message).toMatch(/"prompts" is declared, but prompts\/list is not known/);
  });

  it('waits no longer for an answer than it is told to', async () => {
    const silent = tampered((message, request) => (isFor(request, 'prompts/list') ? undefined : message));
    const skip = conformanceRules.map(({ id }) => id).filter((id) => id !== 'prompts');
    const error = await failure(silent, { revisions: [HANDSHAKE], timeoutMs: 1_000, skip });
    expect(error.message).toMatch(/prompts\/list was not answered within 1000 ms/);
  });

  it('tells a fault of several revisions once', async () => {
    const server = tampered((message, request) => (isFor(request, NO_METHOD) ? answered(message, -32_603) : message));
    const error = await failure(server, {});
    expect(error.message.match(/unknown-method \[/g)).toHaveLength(1);
    expect(error.message).toContain(`[${IDS.join(', ')}]`);
  });
});
