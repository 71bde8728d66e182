import { spawn, type ChildProcess } from 'node:child_process';

/**
 * The program of the guard: it is told process groups over stdin (`+id`, `-id`). When its stdin ends, it gives those that are left two seconds to end by
 * themselves, two after SIGTERM, and then sends SIGKILL.
 */
const PROGRAM = `
const groups = new Set();
const send = (id, signal) => { try { return process.kill(-id, signal); } catch { return false; } };
const left = () => { for (const id of groups) if (!send(id, 0)) groups.delete(id); return groups.size > 0; };
const all = (signal) => { for (const id of groups) send(id, signal); };
let text = '';
process.stdin.setEncoding('latin1').on('data', (chunk) => {
  const lines = (text + chunk).split('\\n');
  text = lines.pop();
  for (const line of lines) groups[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
}).on('error', () => {}).on('close', () => {
  let turn = 0;
  const step = () => {
    if (!left()) process.exit();
    if (turn === 20) all('SIGTERM');
    if (turn === 40) { all('SIGKILL'); process.exit(); }
    turn += 1;
    setTimeout(step, 100);
  };
  step();
});`;

/**
 * A small process beside this one that ends process groups when this process is killed in a way that leaves it no time (SIGKILL). It ends with this process. Where the
 * platform has no process groups it does nothing.
 */
export class OrphanGuard {
  readonly #groups = new Set<number>();
  readonly #onproblem: (problem: Error) => void;
  #process: ChildProcess | undefined;

  constructor(onproblem: (problem: Error) => void) {
    this.#onproblem = onproblem;
  }

  watch(group: number): void {
    if (process.platform === 'win32') return;
    this.#groups.add(group);
    if (this.#process === undefined) this.#start();
    else this.#process.stdin?.write(`+${group}\n`);
  }

  forget(group: number): void {
    if (this.#groups.delete(group)) this.#process?.stdin?.write(`-${group}\n`);
  }

  /** Ends the guard; groups that it was told and not told to forget are ended by it. */
  close(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  #start(): void {
    // A session of its own, so that signals of a terminal do not end it; no variables, which may hold secrets.
    const started = spawn(process.execPath, ['-e', PROGRAM], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: {},
    });
    const forget = (): void => {
      if (this.#process === started) this.#process = undefined;
    };
    started.on('error', (error) => {
      forget();
      this.#onproblem(error);
    });
    started.on('exit', forget);
    started.stdin.on('error', forget);
    // Neither the process nor its pipe keeps this process alive.
    started.unref();
    if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref();
    this.#process = started;
    for (const group of this.#groups) started.stdin.write(`+${group}\n`);
  }
}
