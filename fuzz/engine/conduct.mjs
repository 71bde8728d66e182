/** Runs one case so that it can neither end the process nor hide a fault. */
import { fault, within } from './verdict.mjs';

/** An error that escapes ends a program. Here it is a fault of the running case. */
const escaped = [];
process.on('uncaughtException', (error) => escaped.push(fault('crash', `uncaught: ${error?.stack ?? String(error)}`)));
process.on('unhandledRejection', (error) =>
  escaped.push(fault('crash', `unhandled rejection: ${error?.stack ?? String(error)}`)),
);

const LATE = { sign: 'late', faults: [fault('hang', 'the case did not end in time')], counts: {} };
const UNTOUCHED = Object.getOwnPropertyNames(Object.prototype).length;

/**
 * Runs an input, or those of `together` at the same time.
 * @param {{ run: (input: unknown) => Promise<import('./verdict.mjs').Verdict>, after?: () => Promise<import('./verdict.mjs').Fault[]> }} instance
 * @returns {Promise<{ each: import('./verdict.mjs').Verdict[], faults: import('./verdict.mjs').Fault[] }>}
 */
export async function conduct(instance, input, patienceMs) {
  const inputs = input?.together ?? [input];
  const each = await Promise.all(inputs.map((one) => within(attempt(instance.run, one), patienceMs, LATE)));
  const after = (await instance.after?.()) ?? [];
  // A rejection is known to be unhandled one turn later.
  await new Promise((resolve) => setImmediate(resolve));
  const faults = [...each.flatMap((made) => made.faults), ...after, ...escaped.splice(0)];
  if (Object.getOwnPropertyNames(Object.prototype).length !== UNTOUCHED)
    faults.push(fault('broken-rule', 'Object.prototype was changed'));
  return { each, faults };
}

async function attempt(run, input) {
  try {
    return await run(input);
  } catch (error) {
    return {
      sign: 'failed',
      faults: [fault('harness', `the target itself failed: ${error?.stack ?? String(error)}`)],
      counts: {},
    };
  }
}
