import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import {
  Client,
  createVerdictMemory,
  type ClientOptions,
  type JSONRPCMessage,
  type VerdictMemory,
} from '../../src/client/index.ts';
import { StdioClientTransport, type StdioServerParameters } from '../../src/client/stdio.ts';
import { until } from '../fixtures/stdio/compiled.ts';

export function program(name: string): string {
  return fileURLToPath(new URL(`../fixtures/interop/${name}`, import.meta.url));
}

export interface Running {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** Everything the client sent, over all runs of the server. */
  readonly sent: { method?: string; params?: Record<string, any> }[];
  readonly problems: Error[];
  /** The process that serves, which need not be the one that was started. */
  readonly pid: () => Promise<number>;
}

export const verdicts: VerdictMemory = createVerdictMemory();

/** A client connected to a server program, with its side of the conversation written down. */
export async function run(server: Partial<StdioServerParameters> = {}, options: ClientOptions = {}): Promise<Running> {
  const problems: Error[] = [];
  const sent: Running['sent'] = [];
  const client = new Client(
    { name: 'processes', version: '1.0.0' },
    { verdicts, onproblem: (problem) => problems.push(problem), ...options },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program('small-server.mjs')],
    stderr: 'ignore',
    ...server,
  });
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    sent.push(message as Extract<JSONRPCMessage, { method: string }>);
    return send(message);
  };
  await client.connect(transport);
  return {
    client,
    transport,
    sent,
    problems,
    async pid() {
      const { content } = await client.callTool({ name: 'pid' });
      return Number((content[0] as { text: string }).text);
    },
  };
}

export function failure(promise: Promise<unknown>): Promise<Error & Record<string, any>> {
  return promise.then(
    (value) => Promise.reject(new Error(`It did not reject: ${JSON.stringify(value)}`)),
    (error: Error & Record<string, any>) => error,
  );
}

/** What keeps this process alive, by kind: processes, pipes, timers and signal handlers. */
export function handles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo())
    if (/Process|Pipe|Timeout|Signal/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Waits until nothing is left but what there was before; the test runner's own timers may have ended meanwhile. */
export async function noMoreThan(before: Record<string, number>): Promise<void> {
  const extra = (): string[] =>
    Object.entries(handles()).flatMap(([kind, count]) => (count > (before[kind] ?? 0) ? [kind] : []));
  await until(() => extra().length === 0).catch(() => expect(handles()).toEqual(before));
}
