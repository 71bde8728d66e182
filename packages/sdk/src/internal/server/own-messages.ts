type Write = typeof process.stdout.write;

/**
 * Lets messages pass that a program writes to stdout itself, as bridges written for v1 do, while `start` has everything else go to stderr. Returns a
 * function that ends it.
 */
export async function passOwnMessages(start: () => Promise<void>): Promise<() => void> {
  const { stdout } = process;
  // oxlint-disable-next-line typescript/unbound-method -- always applied to its own stream
  const original = stdout.write;
  await start();
  // oxlint-disable-next-line typescript/unbound-method -- always applied to its own stream
  const guarded = stdout.write;
  if (guarded === original) return () => {};
  const passing = ((...args: Parameters<Write>) =>
    Reflect.apply(isMessageLine(args[0]) ? original : guarded, stdout, args)) as Write;
  stdout.write = passing;
  return () => {
    if (stdout.write === passing) stdout.write = guarded;
  };
}

/** Whether the text is one whole line, and a message of JSON-RPC. */
function isMessageLine(chunk: string | Uint8Array): boolean {
  const line = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  if (!line.startsWith('{') || line.indexOf('\n') !== line.length - 1) return false;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
  } catch {
    return false;
  }
}
