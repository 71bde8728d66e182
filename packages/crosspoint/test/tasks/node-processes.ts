import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { META, send, stateless } from '../http/serving.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/tasks/node.mjs', import.meta.url));
const meta = META({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
const PATIENCE_MS = 40_000;

/** A process that runs tasks. */
export interface NodeProcess {
  readonly port: number;
  kill(): Promise<void>;
}

const running: NodeProcess[] = [];

/** Starts a node with these variables, until `endNodes`. */
export async function startNode(variables: Record<string, string>): Promise<NodeProcess> {
  const env = { ...process.env, ...variables };
  const child: ChildProcess = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const started = {
    port: Number(line.toString()),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
  running.push(started);
  return started;
}

export async function endNodes(): Promise<void> {
  for (const one of running.splice(0)) await one.kill();
}

export async function ask(at: NodeProcess, method: string, params: Record<string, unknown>): Promise<any> {
  const { taskId } = params;
  const headers = typeof taskId === 'string' ? { 'mcp-name': taskId } : {};
  const body = await (await send(at, stateless(method, params, { meta, headers }))).json();
  if (body.result === undefined) throw new Error(JSON.stringify(body));
  return body.result;
}

/** Reads until it is as wanted. */
export async function look<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > limit) throw new Error(`It did not come to it: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
