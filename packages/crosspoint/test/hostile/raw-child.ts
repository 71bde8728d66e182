import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** A process whose stdin and stdout are used byte by byte, without any transport in between. */
export class RawChild {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: Record<string, any>[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = '';
  #rest = '';
  #waiting: (() => void)[] = [];

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [...args], { stdio: 'pipe' });
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    // A process that has gone away is seen by its exit.
    this.child.stdin.on('error', () => {});
    this.exited = once(this.child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    if (!this.child.stdin.write(chunk)) await Promise.race([once(this.child.stdin, 'drain'), this.exited]);
  }

  /** Everything up to and with the first message that fits, taken out of what was received. */
  async take(fits: (message: Record<string, any>) => boolean): Promise<Record<string, any>[]> {
    for (;;) {
      const index = this.messages.findIndex(fits);
      if (index !== -1) return this.messages.splice(0, index + 1);
      const ended = await Promise.race([
        new Promise<false>((resolve) => this.#waiting.push(() => resolve(false))),
        this.exited.then(() => true),
      ]);
      if (ended) throw new Error(`The process has ended: ${this.stderr}`);
    }
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await this.exited;
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.messages.push(JSON.parse(line) as Record<string, any>);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
