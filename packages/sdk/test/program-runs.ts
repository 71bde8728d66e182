import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const PROGRAMS: string = fileURLToPath(new URL('programs/', import.meta.url));

/** The name the programs import, and the one that may take its place. */
export const OFFICIAL = '@modelcontextprotocol/sdk';
export const PACKAGES = [OFFICIAL, '@crosspoint/sdk'] as const;
export type Package = (typeof PACKAGES)[number];

/** Longer than any program takes, also where everything else is slow. */
const PATIENCE_MS = 90_000;

/** The programs as they are, with one package name in place of the other and nothing else changed. */
export interface Renamed {
  readonly folder: string;
  /** Runs one of them to its end and gives what it printed. */
  run(program: string): Promise<string>;
  /** What the compiler has to say about all of them. */
  check(): { status: number | null; output: string };
  remove(): void;
}

export const programs = (): string[] =>
  readdirSync(PROGRAMS, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Inside of the repository, so that the programs find both packages and what they use beside them. */
export function rename(to: Package): Renamed {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'v1-programs-'));
  for (const file of readdirSync(PROGRAMS, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.mts')) continue;
    const source = readFileSync(join(PROGRAMS, file), 'utf8').replaceAll(OFFICIAL, to);
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, source);
    const { code } = transformSync(source, { loader: 'ts', target: 'node20', sourcefile: file });
    writeFileSync(target.replace(/\.mts$/, '.mjs'), code);
  }
  return {
    folder,
    run: (program) => runProgram(join(folder, program)),
    check: () => compile(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function runProgram(folder: string): Promise<string> {
  const server = existsSync(join(folder, 'http-server.mjs')) ? await startServer(folder) : undefined;
  try {
    const main = start(folder, 'main.mjs', server === undefined ? {} : { SERVER: server.url });
    return withoutChance(await ended(main, server?.complaints));
  } finally {
    server?.process.kill('SIGKILL');
  }
}

/**
 * On a busy machine a server may close a connection that was idle for its five seconds in the moment in which the client uses it again, whichever
 * package they use. Here no server closes one.
 */
const PATIENT_SERVERS = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function patient(...args) {
    if ('keepAliveTimeout' in this) this.keepAliveTimeout = 0;
    return listen.apply(this, args);
  };
`)}`;

function start(folder: string, file: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', '--import', PATIENT_SERVERS, join(folder, file)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
}

interface RunningServer {
  readonly process: ChildProcess;
  readonly url: string;
  readonly complaints: () => string;
}

async function startServer(folder: string): Promise<RunningServer> {
  const server = start(folder, 'http-server.mjs', { PORT: '0' });
  const complaints = gathered(server.stderr);
  const port = await new Promise<string>((resolve, reject) => {
    const tooLate = setTimeout(() => reject(new Error(`The server does not listen: ${complaints()}`)), PATIENCE_MS);
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${complaints()}`)));
    createInterface({ input: server.stdout ?? process.stdin }).once('line', (line) => {
      clearTimeout(tooLate);
      resolve(/(\d+)$/.exec(line)?.[1] ?? '');
    });
  });
  return { process: server, url: `http://127.0.0.1:${port}`, complaints };
}

/** What a program printed, once it has ended well; why it did not, otherwise. */
async function ended(main: ChildProcess, complaints = () => ''): Promise<string> {
  const [printed, warned] = [gathered(main.stdout), gathered(main.stderr)];
  const tooLate = setTimeout(() => main.kill('SIGKILL'), PATIENCE_MS);
  const code = await new Promise<number | null>((resolve) => main.once('close', resolve));
  clearTimeout(tooLate);
  if (code !== 0)
    throw new Error(`The program ended with ${code}.\n${printed()}\n${warned()}\nThe server said: ${complaints()}`);
  return printed();
}

function gathered(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Ids, ports and times are never twice the same, and the order of an object's members says nothing. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/^.+$/gm, (line) => JSON.stringify(JSON.parse(line, sorted)))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>');
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function compile(folder: string): { status: number | null; output: string } {
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.mts'] }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  return { status, output: stdout.replaceAll(/^.*?v1-programs-[^/\\]*[/\\]/gm, '') };
}
