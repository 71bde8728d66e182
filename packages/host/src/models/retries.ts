import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from '../values/guard.ts';
import {
  ModelError,
  type CompleteOptions,
  type ModelErrorKind,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
} from './model.ts';

export interface RetriesOptions {
  /** How often a request is sent at most; 4 when absent. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt, doubled for each one after it, where the provider does not say; 1 second when absent. */
  readonly baseMs?: number;
  /** The longest wait; 60 seconds when absent. A provider that wants a longer one ends the request at once. */
  readonly maxWaitMs?: number;
}

/** The failures that may be over when the request is sent again. */
const PASSING: readonly ModelErrorKind[] = ['rate-limited', 'overloaded', 'network', 'interrupted'];

/**
 * A provider that sends a request again when it failed for a passing reason, after the time that the provider names. Those who listen are told by
 * an event `again`: the words and tools that came so far do not count. Libraries of providers try nothing again by themselves, so this is the one place.
 *
 * ```ts
 * const model = withRetries(anthropicProvider({ models: ['claude-sonnet-5-5'] }), { attempts: 3 });
 * ```
 */
export function withRetries(provider: ModelProvider, options: RetriesOptions = {}): ModelProvider {
  return {
    name: provider.name,
    models: () => provider.models(),
    complete: (request, given = {}) => persistently(provider, request, { ...options, ...given }),
  };
}

async function persistently(
  provider: ModelProvider,
  request: ModelRequest,
  options: RetriesOptions & CompleteOptions,
): Promise<ModelResponse> {
  const { attempts = 4, baseMs = 1000, maxWaitMs = 60_000, signal, onevent } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await provider.complete(request, { signal, onevent });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ModelError) || !PASSING.includes(error.kind) || tried >= attempts) throw error;
      const waitMs = error.retryAfterMs ?? Math.min(maxWaitMs, baseMs * 2 ** (tried - 1)) * (0.75 + Math.random() / 4);
      if (waitMs > maxWaitMs) throw error;
      attempt(() => onevent?.({ type: 'again', error, waitMs }));
      await sleep(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}
