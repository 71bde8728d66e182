// An upstream, a bridge and a client, each a process, of which one is killed again and again. Checks throw with what was seen.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecret } from 'crosspoint/server';

/** Milliseconds within which every survivor has its answer or an error. */
export const LIMIT_MS = 15_000;
const program = (name) => fileURLToPath(new URL(name, import.meta.url));
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    // A dead process whose parent has not asked for it yet is still in the table.
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export async function until(isTrue, what, limit = LIMIT_MS) {
  for (const end = Date.now() + limit; !isTrue(); await wait(5))
    if (Date.now() > end) throw new Error(`Not within ${limit} ms: ${typeof what === 'function' ? what() : what}`);
}

export class Group {
  /** @param cell `{ victim, up, carrier, down }` */
  constructor(cell) {
    this.cell = cell;
    this.folder = mkdtempSync(join(tmpdir(), 'bridge-killed-'));
    this.keys = [createSecret()];
    this.upKeys = [createSecret()];
    this.ports = {};
    this.pids = new Set();
    /** Words of the client about each call, by id. */
    this.heard = new Map();
  }

  get records() {
    return join(this.folder, 'records');
  }

  /** Everything that the upstreams noted of a call, or of themselves. */
  noted(id) {
    const lines = readFileSync(this.records, 'utf8').split('\n').filter(Boolean);
    const all = lines.map((line) => JSON.parse(line));
    for (const { pid } of all) this.pids.add(pid);
    return id === undefined ? all : all.filter((record) => record.id === id).map(({ what }) => what);
  }

  async open() {
    if (this.cell.carrier === 'http') await this.startUpstream();
    await this.startBridge();
    await this.startClient();
  }

  upstreamSettings() {
    const { up: family, carrier } = this.cell;
    return { family, carrier, records: this.records, keys: this.upKeys, port: this.ports.upstream };
  }

  bridgeSettings() {
    const { carrier, victim } = this.cell;
    return {
      upstream: carrier === 'http' ? `http://127.0.0.1:${this.ports.upstream}/mcp` : this.upstreamSettings(),
      port: this.ports.bridge,
      database: join(this.folder, 'bridge.db'),
      keys: this.keys,
      // Calls of a client that is killed end when their time is over.
      forMs: victim === 'client' ? 1000 : 60_000,
    };
  }

  async startUpstream() {
    this.upstream = this.#fork('upstream.mjs', this.upstreamSettings());
    this.ports.upstream = await this.#first(this.upstream);
  }

  async startBridge() {
    this.bridge = this.#fork('bridge.mjs', this.bridgeSettings());
    this.ports.bridge = await this.#first(this.bridge);
  }

  async startClient() {
    const url = `http://127.0.0.1:${this.ports.bridge}/mcp`;
    this.client = this.#fork('client.mjs', { family: this.cell.down, url });
    this.client.on('message', (message) => this.#hear(message));
    await this.#first(this.client);
  }

  call(kind, id) {
    const heard = { kind, asked: [] };
    this.heard.set(id, heard);
    this.client.send({ call: kind, id });
    return heard;
  }

  answers(isOpen) {
    this.client.send({ answer: isOpen });
  }

  /** Kills the victim and says when it is dead. */
  async kill() {
    const { victim, carrier } = this.cell;
    if (victim === 'upstream' && carrier === 'stdio') {
      const running = this.noted().filter(({ what, pid }) => what === 'started' && isRunning(pid));
      for (const { pid } of running) process.kill(pid, 'SIGKILL');
      return until(() => running.every(({ pid }) => !isRunning(pid)), 'the upstream is dead');
    }
    const child = this[victim];
    const dead = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await dead;
  }

  async restart() {
    const { victim, carrier } = this.cell;
    if (victim === 'client') await this.startClient();
    else if (victim === 'bridge') await this.startBridge();
    else if (carrier === 'http') await this.startUpstream();
  }

  /** Ends everything; no process may be left. */
  async close() {
    try {
      if (this.client?.connected) this.client.send({ end: true });
      this.bridge?.kill('SIGTERM');
      await wait(50);
      if (this.cell.carrier === 'http') this.upstream?.kill('SIGKILL');
      if (this.cell.carrier === 'stdio') this.noted();
      const left = () => [...this.pids].filter(isRunning);
      await until(
        () => left().length === 0,
        () => `processes ${left().join(', ')} ended`,
        10_000,
      );
    } finally {
      for (const child of [this.client, this.bridge, this.upstream]) child?.kill('SIGKILL');
      for (const pid of this.pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  #hear({ id, asked, ...rest }) {
    const heard = this.heard.get(id);
    if (heard === undefined) return;
    if (asked !== undefined) heard.asked.push(asked);
    if (('result' in rest || 'error' in rest) && ('result' in heard || 'error' in heard)) heard.isTwice = true;
    Object.assign(heard, rest);
  }

  #fork(name, settings) {
    const child = fork(program(name), [JSON.stringify(settings)]);
    this.pids.add(child.pid);
    return child;
  }

  #first(child) {
    return new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code, signal) => reject(new Error(`A program ended at once: ${code ?? signal}`)));
    });
  }
}
