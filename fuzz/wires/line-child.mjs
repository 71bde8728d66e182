/** A child process that is spoken to line by line, without any transport in between. */
import { spawn } from 'node:child_process';

export class LineChild {
  /** @type {Record<string, any>[]} */
  messages = [];
  stderr = '';
  exit;
  #child;
  #rest = '';
  #waiting = new Set();

  constructor(program) {
    this.#child = spawn(process.execPath, ['--unhandled-rejections=strict', program], { stdio: 'pipe' });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text) => (this.stderr = (this.stderr + text).slice(-4000)));
    this.#child.stdin.on('error', () => {});
    this.exited = new Promise((resolve) =>
      this.#child.on('exit', (code, signal) => {
        this.exit = signal ?? code;
        this.#wake();
        resolve(this.exit);
      }),
    );
  }

  write(bytes) {
    if (this.exit === undefined && !this.#child.stdin.writableEnded) this.#child.stdin.write(bytes);
  }

  end() {
    this.#child.stdin.end();
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  /** Waits for a matching message; undefined when the process ends first, or time is over. */
  async until(fits, ms) {
    const end = performance.now() + ms;
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined || this.exit !== undefined || performance.now() > end) return found;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(200, ms));
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      try {
        this.messages.push(...[JSON.parse(line)].flat());
      } catch {
        this.messages.push({ isBroken: true, line });
      }
    }
    this.#wake();
  }

  #wake() {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
