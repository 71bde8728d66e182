/**
 * A scripted server. A script is `{ answers, noise }`: `answers` holds, for a method or for `*`, the text that replaces the valid answer;
 * `noise` is sent before every answer. In both texts `{{id}}` is the id of the request and `{{token}}` its progress token.
 */
import { NEWEST } from '../inputs/messages.mjs';
import { textOf } from '../inputs/text.mjs';

const TEXT = { content: [{ type: 'text', text: 'good' }] };
const TOOL = {
  name: 'echo',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^a+$' } } },
};
const TASK = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 1000,
  ttlMs: 1000,
  pollInterval: 20,
  pollIntervalMs: 20,
};

/** Results as a well-behaved server gives them, several where there is a choice. */
export const GOOD = {
  initialize: [
    (revision) => ({
      protocolVersion: revision,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      serverInfo: { name: 'hostile', version: '1' },
    }),
  ],
  'server/discover': [
    () => ({
      supportedVersions: [NEWEST],
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      serverInfo: { name: 'hostile', version: '1' },
      ttlMs: 0,
      cacheScope: 'private',
    }),
  ],
  'tools/list': [() => ({ tools: [TOOL] }), () => ({ tools: [TOOL], nextCursor: 'more' })],
  'tools/call': [
    () => TEXT,
    () => ({ structuredContent: { a: 'aaa' }, content: [] }),
    () => ({
      resultType: 'input_required',
      inputRequests: {
        q: {
          method: 'elicitation/create',
          params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
        },
      },
      requestState: 's',
    }),
    () => ({ resultType: 'task', ...TASK }),
    () => ({ task: TASK }),
  ],
  'resources/list': [() => ({ resources: [{ uri: 'note://one', name: 'one' }] })],
  'resources/templates/list': [() => ({ resourceTemplates: [{ uriTemplate: 'note://{x}', name: 'x' }] })],
  'resources/read': [
    () => ({ contents: [{ uri: 'note://one', text: 'one' }] }),
    () => ({ contents: [{ uri: 'note://one', blob: 'AAAA' }] }),
  ],
  'prompts/list': [() => ({ prompts: [{ name: 'greet', arguments: [{ name: 'name' }] }] })],
  'prompts/get': [() => ({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] })],
  'completion/complete': [() => ({ completion: { values: ['a'], total: 1 } })],
  'tasks/get': [() => ({ ...TASK, status: 'completed', result: TEXT }), () => TASK],
  'tasks/result': [() => TEXT],
  'tasks/update': [() => ({})],
  'tasks/cancel': [() => ({ ...TASK, status: 'cancelled' })],
};

export const goodAnswer = (method, revision, choice = 0) => ({
  jsonrpc: '2.0',
  id: '{{id}}',
  result: { ...(revision === NEWEST && { resultType: 'complete' }), ...GOOD[method]?.[choice]?.(revision) },
});

/** The reply to a message of the client: `frames`, each the text of one message, and how they are sent. Nothing for a message without an answer. */
export function repliesTo(script, message) {
  const { method, id, params } = message ?? {};
  if (method === undefined || id === undefined) return undefined;
  const revision = script.revision ?? NEWEST;
  const known = { id: JSON.stringify(id), token: JSON.stringify(params?._meta?.progressToken ?? 0) };
  const said = script.answers?.[method] ?? script.answers?.['*'] ?? {};
  const frames = said.frames ?? [JSON.stringify(goodAnswer(method, revision))];
  const fill = (text) =>
    textOf(text).replaceAll('"{{id}}"', known.id).replaceAll('{{id}}', known.id).replaceAll('"{{token}}"', known.token);
  const all = [...(script.noise ?? []), ...frames].flatMap((frame) =>
    frame?.each !== undefined
      ? Array.from({ length: frame.times }, (_, index) => fill(frame.each).replaceAll('#', String(index)))
      : [fill(frame)],
  );
  return { ...said, frames: all };
}
