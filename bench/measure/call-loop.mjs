const CALLS_BETWEEN_LOOKS = 8;

/**
 * Calls `add` repeatedly, with `inFlight` calls at a time, and checks every answer.
 * @param {(name: string, args: object) => Promise<any>} call
 * @param {{ ms: number, inFlight: number }} plan
 */
export async function callLoop(call, { ms, inFlight }) {
  const since = performance.now();
  const until = since + ms;
  let count = 0;
  let errors = 0;
  let firstError;
  const lane = async () => {
    do {
      for (let left = CALLS_BETWEEN_LOOKS; left > 0; left -= 1) {
        const result = await call('add', { a: 2, b: 3 });
        count += 1;
        if (result?.structuredContent?.sum === 5) continue;
        errors += 1;
        firstError ??= JSON.stringify(result);
      }
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { count, seconds: (performance.now() - since) / 1000, errors, firstError };
}
