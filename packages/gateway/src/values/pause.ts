/** Waits so many milliseconds. Rejects with the reason of the signal when that aborts first, or has aborted before. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const left = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', left);
      resolve();
    }, ms);
    signal.addEventListener('abort', left, { once: true });
  });
}
