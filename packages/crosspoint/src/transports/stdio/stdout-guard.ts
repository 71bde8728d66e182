import type { StreamWrite } from './line-writer.ts';

type Write = typeof process.stdout.write;

interface Guard {
  readonly original: Write;
  readonly replacement: Write;
  holders: number;
}

let active: Guard | undefined;

/** Access to the real stdout while the guard is active. */
export interface StdoutGuard {
  readonly write: StreamWrite;
  release(): void;
}

/**
 * Until released, everything else that this process writes to `process.stdout` (`console.log` included) goes to stderr, so that it cannot
 * break a line of the protocol. Writes that bypass the stream are not caught: `fs.writeSync(1)`, or a child that inherits the descriptor.
 */
export function guardStdout(): StdoutGuard {
  const guard = (active ??= install());
  const { stdout } = process;
  guard.holders++;
  let isHeld = true;
  return {
    write: (text, done) => guard.original.call(stdout, text, 'utf8', done),
    release() {
      if (!isHeld) return;
      isHeld = false;
      if (--guard.holders === 0) uninstall(guard);
    },
  };
}

function install(): Guard {
  // oxlint-disable-next-line typescript/unbound-method -- always applied to its own stream
  const original = process.stdout.write;
  const replacement = (...args: unknown[]): boolean =>
    // Other code may have wrapped this function and keep calling it after release; it then forwards to the original `write`.
    guard.holders > 0 ? process.stderr.write(...(args as [string])) : Reflect.apply(original, process.stdout, args);
  const guard: Guard = { original, replacement, holders: 0 };
  process.stdout.write = replacement;
  return guard;
}

function uninstall(guard: Guard): void {
  active = undefined;
  if (process.stdout.write === guard.replacement) process.stdout.write = guard.original;
}
