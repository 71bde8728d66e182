// What a program with a published client is told, and how it tells what it found.

const STEP_MS = 30_000;
const [first, ...rest] = process.argv.slice(2);
/** The address of a server over HTTP; `undefined` for one that is started. */
export const url = first.startsWith('http') ? first : undefined;
/** The steps that are wanted; all when absent. */
const wanted = process.env['STEPS']?.split(',');
/** The program to start, where there is no address. */
export const [command, args] = [first, rest];

async function outcomeOf(step) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${STEP_MS / 1000} s`)), STEP_MS);
  });
  try {
    return await Promise.race([step(), late]);
  } catch (error) {
    return { error: String(error?.message ?? error) };
  } finally {
    clearTimeout(timer);
  }
}

const GIVE_UP_MS = 300;
/** Longer than the notification takes to reach the server. */
const ARRIVE_MS = 300;

/** Gives up a call that is under way. */
export async function giveUp(call) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), GIVE_UP_MS);
  const outcome = await call(controller.signal).then(
    () => 'answered',
    () => 'cancelled',
  );
  await new Promise((resolve) => setTimeout(resolve, ARRIVE_MS));
  return outcome;
}

/**
 * Does the steps one after the other, prints one line of JSON with the outcome of each, closes and ends the process.
 * @param {Record<string, () => unknown>} steps those that the client has a way to do
 * @param {() => unknown} [close]
 */
export async function tell(steps, close = () => {}) {
  const found = {};
  for (const [name, step] of Object.entries(steps))
    if (wanted?.includes(name) ?? true) found[name] = (await outcomeOf(async () => step())) ?? 'nothing';
  console.log(JSON.stringify(found));
  await outcomeOf(async () => close());
  process.exit();
}
