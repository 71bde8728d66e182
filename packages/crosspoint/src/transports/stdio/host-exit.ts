const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const callbacks = new Set<() => void>();

/**
 * Calls back when this process ends: by `process.exit`, by an uncaught exception, or by a signal that nobody else handles. A host that
 * is killed outright cannot run anything; then the end of their stdin is what tells the children. Returns the way to stop watching.
 */
export function watchHostExit(callback: () => void): () => void {
  if (callbacks.size === 0) watch();
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) unwatch();
  };
}

function watch(): void {
  process.on('exit', runAll);
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
}

function unwatch(): void {
  process.off('exit', runAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function runAll(): void {
  for (const callback of callbacks) callback();
}

/**
 * Listening to a signal takes away its default effect, which is to end the process, so that effect has to be given back. Where the
 * program listens itself, the decision is the program's: this listener steps aside while the others run, since they may count
 * listeners to find out whether anyone else cares.
 */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0) {
    runAll();
    process.kill(process.pid, signal);
    return;
  }
  setImmediate(() => {
    if (callbacks.size > 0 && !process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
  });
}
