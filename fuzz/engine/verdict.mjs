/**
 * The verdict of a target on one case.
 *
 * `faults`: forbidden results; empty for a clean case. `sign`: the kind of outcome in a few words; an input with a new sign is kept and varied later.
 * `counts`: figures that are added up over the run. `harness` is a fault of the fuzzing itself.
 *
 * @typedef {{ kind: 'crash' | 'hang' | 'wrong-recipient' | 'server-error' | 'slow' | 'growth' | 'broken-rule' | 'harness', what: string }} Fault
 * @typedef {{ faults: Fault[], sign: string, counts?: Record<string, number> }} Verdict
 */
export const fault = (kind, what) => ({ kind, what });

export const verdict = (sign, faults = [], counts = {}) => ({ sign, faults, counts });

/** The value, or `late` after `ms` milliseconds. */
export async function within(promise, ms, late) {
  let timer;
  const over = new Promise((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Processor time of this process in milliseconds: a busy machine changes it little. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs synchronous work and reports a fault when it takes more processor time than allowed. */
export function timed(mostMs, work) {
  const before = cpuMs();
  const value = work();
  const took = cpuMs() - before;
  const faults =
    took > mostMs ? [fault('slow', `${Math.round(took)} ms of processor time, ${mostMs} are allowed`)] : [];
  return { value, faults };
}

/** Polls until the condition holds; false when the time is over. */
export async function eventually(holds, ms) {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}

/** The kind of a fault: the same for faults that differ only in numbers and marks. */
export const signOf = ({ kind, what }) => `${kind} ${what.replaceAll(/mark-[\w-]+|\d+/g, '#').slice(0, 120)}`;

/** A sign made of words, independent of their order and number. */
export const signed = (...words) =>
  [...new Set(words.flat().map(String))].sort((one, other) => (one < other ? -1 : 1)).join(' ');
