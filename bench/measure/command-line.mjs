// Runs programs from the command line to their end, as a person or a script does.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeCommand, SERVER_CORE } from './processes.mjs';
import { median } from './statistics.mjs';

const LIMIT_MS = 60_000;

/** A home of its own for programs that keep something there. */
export class OwnHome {
  path = mkdtempSync(join(tmpdir(), 'bench-home-'));

  /** Runs Node with these arguments. Resolves with the milliseconds until the process had ended; rejects unless it printed `wanted`. */
  run(args, wanted = '') {
    const [command, ...rest] = nodeCommand(SERVER_CORE, args);
    const since = performance.now();
    const child = spawn(command, rest, { cwd: this.path, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        const wallMs = performance.now() - since;
        if (code === 0 && stdout.includes(wanted)) resolve(wallMs);
        else reject(new Error(`${args.join(' ')} ended with ${code}: ${stdout.slice(-300)} ${stderr.slice(-500)}`));
      });
    });
  }

  /** The median of several runs, one after the other. */
  async runs(count, args, wanted) {
    const taken = [];
    for (let run = 0; run < count; run += 1) taken.push(await this.run(args, wanted));
    return median(taken);
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }

  get #env() {
    const own = { HOME: this.path, USERPROFILE: this.path, CROSSPOINT_HOME: join(this.path, 'crosspoint') };
    return { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NO_COLOR: '1', ...own };
  }
}
