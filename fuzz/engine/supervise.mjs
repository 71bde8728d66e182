/** Runs a target in a process of its own, and reports its end even if that process crashes or hangs. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Shelf } from './shelf.mjs';
import { fault } from './verdict.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** Milliseconds without a sign of life before a worker counts as hung: longer than the limit of any one case. */
const SILENCE_MS = 60_000;
/** Heap limit of a worker in MiB. */
const MEMORY_MIB = 1536;

/**
 * Starts the worker and passes its messages on, until it is done, ends or hangs.
 * @returns {Promise<{ done?: object, ended?: string }>}
 */
function attend(order, { onmessage, silenceMs = SILENCE_MS }) {
  return new Promise((resolve) => {
    const child = fork(WORKER, {
      execArgv: ['--expose-gc', `--max-old-space-size=${MEMORY_MIB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'json',
    });
    let stderr = '';
    let timer;
    let outcome;
    const settle = (made) => {
      outcome ??= made;
      clearTimeout(timer);
    };
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        settle({ ended: `gave no sign of life for ${silenceMs / 1000} s`, isStuck: true });
        child.kill('SIGKILL');
      }, silenceMs);
    };
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-4000)));
    child.on('message', (message) => {
      watch();
      if (message.type === 'done') settle({ done: message });
      else onmessage(message);
    });
    child.on('exit', (code, signal) => {
      settle({ ended: `ended with ${signal ?? code}: ${stderr.trim().slice(-1500)}` });
      resolve(outcome);
    });
    watch();
    child.send(order);
  });
}

/** Fuzzes one target for a time; a worker that ends is a finding, and the next one continues after the case that ended it. */
export async function fuzzTarget({ name, seed, isFresh, ms, onfinding }) {
  const started = performance.now();
  const shelf = new Shelf(name, { isFresh });
  let from = shelf.cursor;
  const total = { counts: {}, findings: [], kept: 0, peakRss: 0, memory: {} };
  /** Adds a finding once: a worker that replaces another may find the same again. */
  const add = (finding) => {
    if (total.findings.some(({ path }) => path === finding.path)) return;
    total.findings.push(finding);
    onfinding(finding);
  };
  while (performance.now() - started < ms && total.findings.length < 10) {
    let last = { counts: {}, cursor: from };
    const onmessage = (message) => {
      if (message.type === 'beat') last = message;
      if (message.type === 'found') add(message);
    };
    const left = ms - (performance.now() - started);
    const { done, ended, isStuck } = await attend({ name, seed, isFresh, from, ms: left }, { onmessage });
    const made = done ?? last;
    for (const [what, times] of Object.entries(made.counts)) total.counts[what] = (total.counts[what] ?? 0) + times;
    if (done) {
      Object.assign(total, { kept: done.kept, memory: done.memory, cursor: done.cursor });
      total.peakRss = Math.max(total.peakRss, done.peakRss);
      break;
    }
    const faults = [fault(isStuck ? 'hang' : 'crash', `the process ${ended}`)];
    const path = shelf.saveFinding({ target: name, faults, input: shelf.lastInput() });
    total.counts[faults[0].kind] = (total.counts[faults[0].kind] ?? 0) + 1;
    add({ faults, path });
    from = made.cursor + 1000;
  }
  return { ...total, seconds: (performance.now() - started) / 1000 };
}

/**
 * Runs given inputs and nothing else.
 * @param {{ file: string, input: unknown }[]} cases
 * @returns {Promise<Map<string, import('./verdict.mjs').Fault[]>>} by file
 */
export async function replayTarget(name, cases) {
  const results = new Map();
  let left = cases;
  while (left.length > 0) {
    const onmessage = ({ type, file, faults }) => type === 'case' && results.set(file, faults);
    const { done, ended, isStuck } = await attend(
      { name, seed: 0, isFresh: true, replay: left },
      { onmessage, silenceMs: 30_000 },
    );
    if (done) break;
    const at = left.findIndex(({ file }) => !results.has(file));
    if (at === -1) break;
    results.set(left[at].file, [fault(isStuck ? 'hang' : 'crash', `the process ${ended}`)]);
    left = left.slice(at + 1);
  }
  return results;
}
