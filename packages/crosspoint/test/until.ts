/** Far longer than anything waited for takes, also on a machine that is busy with something else. */
const PATIENCE_MS = 15_000;

/** Waits for what will be true soon, and fails with its words when it does not come true. */
export async function until(isTrue: () => boolean, what = isTrue.toString().slice(0, 200)): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  // Conditions that only wait for other turns of the event loop are met without a timer.
  for (let turn = 0; !isTrue(); turn += 1) {
    if (Date.now() > end) throw new Error(`Still not true after ${PATIENCE_MS} ms: ${what}`);
    await new Promise((resolve) => (turn < 50 ? setImmediate(resolve) : setTimeout(resolve, 2)));
  }
}
