// The processes of the nodes, which are started, killed and started again.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('node.mjs', import.meta.url));

export class NodeProcess {
  port;
  kills = 0;
  /** Exits that were not caused by a kill. */
  crashes = [];
  #args;
  #child;
  #isWanted = false;
  #onport;

  /** `onport` is called whenever the port changes. */
  constructor(args, onport) {
    this.#args = args;
    this.#onport = onport;
  }

  async start() {
    this.#isWanted = true;
    const child = spawn(process.execPath, [PROGRAM, ...this.#args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => (errors = (errors + chunk).slice(-2000)));
    child.once('exit', (code, signal) => {
      if (this.#child === child) this.#moved(undefined);
      if (this.#isWanted && this.#child === child) this.crashes.push(`${code ?? signal}: ${errors}`);
    });
    await new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`A node did not start: ${errors}`)));
      child.stdout.setEncoding('utf8').once('data', (line) => {
        this.#moved(Number(line));
        resolve();
      });
    });
  }

  async kill() {
    const child = this.#child;
    this.#isWanted = false;
    this.#moved(undefined);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    this.kills += 1;
  }

  #moved(port) {
    this.port = port;
    this.#onport();
  }
}
