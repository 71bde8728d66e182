import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../../crosspoint/test/until.ts';

const crosspoint = fileURLToPath(new URL('../../bin/crosspoint.mjs', import.meta.url));

/** A bridge that runs in a process of its own, with everything it said. */
export class Running {
  readonly process: ChildProcess;
  readonly ended: Promise<number | string | null>;
  stdout = '';
  stderr = '';
  #id = 0;

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    const home = mkdtempSync(join(tmpdir(), 'crosspoint-bridge-'));
    const started = spawn(process.execPath, [crosspoint, 'bridge', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, CROSSPOINT_HOME: home, ...env },
    });
    this.process = started;
    started.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    started.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    started.stdin.on('error', () => {});
    this.ended = new Promise((resolve) =>
      started.once('close', (code, signal) => {
        rmSync(home, { recursive: true, force: true });
        resolve(code ?? signal);
      }),
    );
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  endInput(): void {
    this.process.stdin?.end();
  }

  /** The address that it listens at. */
  async address(): Promise<string> {
    await until(() => /listening at \S+/.test(this.stderr) || this.process.exitCode !== null, 'it listens');
    const [, url] = /listening at (\S+)/.exec(this.stderr) ?? [];
    if (url === undefined) throw new Error(this.stderr);
    return url;
  }

  send(...messages: readonly object[]): void {
    for (const message of messages) this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Calls a tool over stdin and stdout, in a session that the first call opens. */
  async call(name: string): Promise<Record<string, unknown>> {
    if (this.#id === 0) {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const opened = await this.#ask('initialize', params);
      if (opened['error'] !== undefined) return opened;
      this.send({ method: 'notifications/initialized' });
    }
    return this.#ask('tools/call', { name, arguments: {} });
  }

  async #ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = (this.#id += 1);
    this.send({ id, method, params });
    const find = (): Record<string, unknown> | undefined =>
      this.stdout
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find((message) => message['id'] === id);
    await until(() => find() !== undefined || this.process.exitCode !== null, `an answer to ${method}`);
    return find() ?? {};
  }
}

/** Ids of the processes that wrote themselves into a file. */
export function pidsIn(log: string): number[] {
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : [];
}
