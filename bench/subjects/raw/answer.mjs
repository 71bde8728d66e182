// The reference: the least work that any implementation has to do. Parsed JSON in, an object out, checked with typeof and nothing else.
import * as z from 'zod';
import { askInRounds, LiveAsker } from './asking.mjs';
import { RawTasks } from './tasks.mjs';
import { hold, SERVER_INFO, toolsOf } from '../tools.mjs';

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: SERVER_INFO,
};
const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true } },
  ttlMs: 0,
  cacheScope: 'private',
};

/** A tool as `tools/list` shows it. The schemas are converted once, before anything is measured. */
const describe = ({ name, description, input, output }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  ...(output ? { outputSchema: z.toJSONSchema(output) } : {}),
});

function call(id, { name, arguments: args }) {
  if (name === 'add' && typeof args.a === 'number' && typeof args.b === 'number') {
    const sum = args.a + args.b;
    const result = { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum } };
    return { jsonrpc: '2.0', id, result };
  }
  if (name === 'big' && typeof args.bytes === 'number') {
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(args.bytes) }] } };
  }
  if (name === 'take' && typeof args.text === 'string') {
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: String(args.text.length) }] } };
  }
  if (name === 'hold' && typeof args.of === 'number')
    return new Promise((resolve) => hold(args.of, (result) => resolve({ jsonrpc: '2.0', id, result })));
  return { jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params' } };
}

/** Returns a function from a message to its answer, to a promise of it for a call that waits, or to nothing for a notification. */
export function createAnswer(options) {
  const listed = { tools: toolsOf(options).map(describe) };
  const live = new LiveAsker();
  const tasks = options.kit === 'task' ? new RawTasks(call) : undefined;
  return (message) => {
    const { id, method, params } = message;
    if (id === undefined) return undefined;
    if (method === undefined) return live.answered(message);
    if (method === 'tools/call' && params.name === 'ask') {
      return params._meta === undefined ? live.begin(id) : { jsonrpc: '2.0', id, result: askInRounds(params) };
    }
    if (tasks !== undefined && (method === 'tools/call' || method.startsWith('tasks/'))) return tasks.answer(message);
    if (method === 'tools/call') return call(id, params);
    if (method === 'tools/list') return { jsonrpc: '2.0', id, result: listed };
    if (method === 'initialize') return { jsonrpc: '2.0', id, result: INITIALIZED };
    if (method === 'server/discover') return { jsonrpc: '2.0', id, result: DISCOVERED };
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  };
}
