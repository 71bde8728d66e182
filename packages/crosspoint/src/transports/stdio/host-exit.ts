const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const callbacks = new Set<() => void>();

/**
 * Calls back when this process ends: by `process.exit`, an uncaught exception, or a signal that the program does not handle. A host that is
 * killed with SIGKILL cannot run anything; its children then notice the end of their stdin. Returns a function that stops watching.
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
 * A listener removes the default effect of a signal, which is to end the process, so that effect is restored here. Where the program has
 * listeners of its own, it decides: this listener removes itself while they run, since they may count listeners.
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
