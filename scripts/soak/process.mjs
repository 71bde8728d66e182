import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('part.mjs', import.meta.url));
const PATIENCE_MS = 20_000;

/** One process of the run, which can be started again and asked for its figures. */
export class Part {
  #args;
  #child;
  port;
  restarts = 0;

  constructor(...args) {
    this.#args = args;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async start() {
    this.#child = fork(program, this.#args, {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    ({ port: this.port } = await this.#told());
    return this;
  }

  /** Resident and live memory in bytes, and the number of handles, after a garbage collection. */
  async figures() {
    const told = this.#told();
    this.#child.send('figures');
    return told;
  }

  /** Kills the process at once, or asks it to end, and starts it again. */
  async restart(signal) {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
    this.restarts += 1;
    await this.start();
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS);
    await ended;
    clearTimeout(timer);
  }

  async #told() {
    const [message] = await once(this.#child, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return message;
  }
}
