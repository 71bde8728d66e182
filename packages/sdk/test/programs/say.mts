/** One line of what a program did, for whoever compares it with another run. */
export function say(what: string, value?: unknown): void {
  console.log(JSON.stringify(value === undefined ? { what } : { what, value }));
}

/** How a call failed, in the words that programs look at. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    return { unexpected: await call };
  } catch (error) {
    const { name, code, data } = error as Error & { code?: number; data?: unknown };
    return { name, code, data };
  }
}
