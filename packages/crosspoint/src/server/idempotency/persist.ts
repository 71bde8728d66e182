import type { Clock } from '../../peer/clock.ts';
import { isStoreUnavailable } from '../../stores/store-unavailable-error.ts';

const TRIES = 20;
const PAUSE_MS = 1000;

/** Writes to a store, and retries while it cannot be reached: an outage of some seconds must not lose the outcome of a call. */
export async function persist<T>(write: () => Promise<T>, clock: Clock): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await write();
    } catch (error) {
      if (tried >= TRIES || !isStoreUnavailable(error)) throw error;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, PAUSE_MS));
    }
  }
}
