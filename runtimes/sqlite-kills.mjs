import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { openRecommended } from './sqlite-store.mjs';

const WRITERS = 4;
const PATIENCE_MS = 30_000;
const PROGRAM = fileURLToPath(new URL('sqlite-writer.mjs', import.meta.url));
const ARGS = globalThis.Deno ? ['run', '--allow-all', PROGRAM] : [PROGRAM];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A process that writes, and what it has told so far. */
class Writer {
  written = [];
  failures = [];
  #child;
  #closed;

  constructor(path, name) {
    this.#child = spawn(process.execPath, [...ARGS, path, name], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#closed = once(this.#child, 'close');
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) (line.startsWith('+') ? this.written : this.failures).push(line.slice(2));
    });
  }

  /** Resolves with whether the process has finished three more writes; one may have been under way already. */
  async goesOn() {
    const [enough, end] = [this.written.length + 3, Date.now() + PATIENCE_MS];
    while (this.written.length < enough && this.failures.length === 0 && Date.now() < end) await pause(5);
    return this.written.length >= enough;
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  async end() {
    this.#child.stdin.end();
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS);
    await this.#closed;
    clearTimeout(killer);
  }
}

async function allGoOn(writers) {
  const going = await Promise.all(writers.map((writer) => writer.goesOn()));
  return going.every(Boolean);
}

/** Kills one writer in each round, and all at once in each fourth, in the midst of their work; starts others in their place. Resolves with how many rounds left all others working. */
async function killInRounds(writers, rounds, start) {
  for (let round = 0; round < rounds; round += 1) {
    await pause(Math.random() * 30);
    const places = round % 4 === 3 ? [...writers.keys()] : [round % WRITERS];
    await Promise.all(places.map((place) => writers[place].kill()));
    for (const place of places) writers[place] = start(place);
    if (!(await allGoOn(writers))) return round;
  }
  return rounds;
}

async function kept(path) {
  const store = await openRecommended(path);
  const entries = (await store.read('log')).map(({ value }) => value);
  const keys = await store.keys('writer');
  await store.close();
  return { entries: new Set(entries), keys: new Set(keys) };
}

/**
 * Four processes write into one file and are killed, in rounds. Resolves with the number of `rounds` after which all went on, the number of writes that were
 * `acknowledged`, those of them that were `lost`, the `failures` that processes met, and the `files` that are left when all have ended.
 */
export async function killWriters(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-kills-'));
  const path = join(folder, 'store.db');
  const all = [];
  const start = (place) => {
    const writer = new Writer(path, `writer${place}`);
    all.push(writer);
    return writer;
  };
  const writers = Array.from({ length: WRITERS }, (_, place) => start(place));
  try {
    const outlived = (await allGoOn(writers)) ? await killInRounds(writers, rounds, start) : 0;
    for (const writer of writers) await writer.end();
    const acknowledged = all.flatMap((writer) => writer.written);
    const found = { rounds: outlived, acknowledged: acknowledged.length, failures: all.flatMap((one) => one.failures) };
    const files = readdirSync(folder);
    const { entries, keys } = await kept(path);
    return { ...found, lost: acknowledged.filter((entry) => !entries.has(entry) || !keys.has(entry)), files };
  } finally {
    for (const writer of writers) await writer.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
