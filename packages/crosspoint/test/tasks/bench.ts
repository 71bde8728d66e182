import * as z from 'zod';
import { TASKS_EXTENSION_ID } from '../../src/extensions/tasks/tasks-extension.ts';
import type { ClientCapabilities } from '../../src/protocol/capabilities.ts';
import { isTerminal } from '../../src/protocol/tasks.ts';
import { McpServer, ProtocolError, text, type McpServerOptions, type ServerContext } from '../../src/server/index.ts';
import { tasks, type TaskOptions } from '../../src/server/tasks/index.ts';
import { gate, newestHandshake, stateless, type Gate, type SpeakOptions, type Wire } from '../server/wire.ts';

export const core = newestHandshake;
export const RELATED = 'io.modelcontextprotocol/related-task';
export const declared: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  extensions: { [TASKS_EXTENSION_ID]: {} },
};
export const Name = z.object({ name: z.string() });

/** A server whose tools wait for gates that a test opens. */
export class Bench {
  readonly server: McpServer;
  readonly gates = new Map<string, Gate<string | undefined>>();
  /** Everything that handlers did, in order. */
  readonly did: string[] = [];
  readonly contexts: ServerContext[] = [];

  constructor({ tasks: taskOptions, ...options }: McpServerOptions & { tasks?: TaskOptions } = {}) {
    this.server = new McpServer({ name: 'tasks', version: '1.0' }, options);
    this.server.use(tasks(taskOptions));
    this.server.registerTool('plain', {}, () => text('plain'));
    this.server.registerTool('slow', { inputSchema: { key: z.string() }, task: 'optional' }, ({ key }, ctx) =>
      this.#slow(key, ctx),
    );
    this.server.registerTool('must', { execution: { taskSupport: 'required' } }, () => text('done'));
    this.server.registerTool('errs', { task: 'optional' }, () => ({ ...text('It did not work.'), isError: true }));
    this.server.registerTool('throws', { task: 'optional' }, () => {
      throw new ProtocolError(-31999, 'Out of paper', { tray: 2 });
    });
    this.server.registerTool('asks', { task: 'optional' }, async (ctx) => {
      const answer = await ctx.elicit({ message: 'Who?', schema: Name });
      this.did.push(`asked:${answer.action}`);
      return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
    });
  }

  gate(key: string): Gate<string | undefined> {
    const found = this.gates.get(key) ?? gate<string | undefined>();
    this.gates.set(key, found);
    return found;
  }

  async #slow(key: string, ctx: ServerContext): Promise<ReturnType<typeof text>> {
    this.contexts.push(ctx);
    this.did.push(`began:${key}`);
    ctx.signal.addEventListener('abort', () => this.did.push(`aborted:${key}`));
    const value = await this.gate(key).promise;
    this.did.push(`ended:${key}`);
    return text(`slow ${key} ${value === undefined ? 'done' : value}`);
  }
}

/** Begins a task of the older generation and gives it. */
export async function beginCore(
  wire: Wire,
  name: string,
  args = {},
  options: SpeakOptions & { ttl?: number } = {},
): Promise<any> {
  const { ttl, ...rest } = options;
  const task = ttl === undefined ? {} : { ttl };
  return (await wire.result('tools/call', { name, arguments: args, task }, core, rest)).task;
}

/** Begins a task of the newer generation and gives it. */
export function beginExtension(wire: Wire, name: string, args = {}, options: SpeakOptions = {}): Promise<any> {
  return wire.result('tools/call', { name, arguments: args }, stateless, options);
}

export function get(wire: Wire, taskId: string, revision = stateless, options: SpeakOptions = {}): Promise<any> {
  return wire.result('tasks/get', { taskId }, revision, options);
}

/** Looks until the task is as wanted. */
export async function until(
  wire: Wire,
  taskId: string,
  wanted: (task: any) => boolean,
  revision = stateless,
): Promise<any> {
  const limit = Date.now() + 15_000;
  for (;;) {
    const task = await get(wire, taskId, revision);
    if (wanted(task)) return task;
    if (Date.now() > limit) throw new Error(`The task did not come to it: ${JSON.stringify(task)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const ended = (task: any): boolean => isTerminal(task.status);
export const waiting = (task: any): boolean => task.status === 'input_required';
