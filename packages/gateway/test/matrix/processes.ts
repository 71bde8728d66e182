import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const START_MS = 20_000;

export const program = (name: string): string => fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));
const everythingFile = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
/** A module that keeps programs which listen on every interface to the loopback one. */
const loopback = new URL('../../../../scripts/conformance/loopback.mjs', import.meta.url).href;

export interface Running {
  readonly addresses: readonly string[];
  stop(): Promise<void>;
}

/** The arguments of Node that start a peer over stdio. */
export function stdioOf(name: string): readonly string[] {
  return name === 'everything' ? [everythingFile, 'stdio'] : [program('serve'), 'stdio', name];
}

/** The arguments of Node that start a bridge over stdio before a place. */
export function stdioBridge(place: string | readonly string[]): readonly string[] {
  return [program('bridge'), 'stdio', typeof place === 'string' ? place : JSON.stringify(place)];
}

/** Starts a program that prints its addresses as one line of JSON. */
export async function startListening(args: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await firstLine(child, (said) => said.startsWith('['));
  return { addresses: JSON.parse(line) as string[], stop: () => stop(child) };
}

/** Starts the published server over HTTP, on a port that was free a moment ago. */
export async function startEverything(): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', loopback, everythingFile, 'streamableHttp'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PORT: String(port) },
  });
  child.stdout.resume();
  await firstLine(child, (said) => said.includes('listening on port'), 'stderr');
  return { addresses: [`http://127.0.0.1:${port}/mcp`], stop: () => stop(child) };
}

async function firstLine(
  child: ChildProcess,
  isWanted: (line: string) => boolean,
  from: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The program did not start.')), START_MS);
    let said = '';
    child.once('exit', (code) => reject(new Error(`The program ended with ${String(code)}: ${said}`)));
    child[from]?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const line = said.split('\n').find(isWanted);
      if (line === undefined) return;
      clearTimeout(timer);
      resolve(line);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
