import { systemClock, type Clock } from '../../../peer/clock.ts';
import { ToolError } from '../../../protocol/errors.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { principalOf } from '../../callers/caller.ts';
import { randomSecret, type Secret } from '../../../runtime/secret.ts';
import { createSealer } from './sealer.ts';

/** The owner of a handle: the context of a request, or any object with the caller's name or verified token. */
export interface HandleOwner {
  readonly authInfo?: AuthInfo | undefined;
  /** The name of the caller; from the token when absent. */
  readonly principal?: string | undefined;
}

/** Options of `createHandles`. */
export interface HandleOptions {
  /** The purpose of the handles: a handle of another purpose is refused, though it was made with the same keys. */
  readonly purpose: string;
  /**
   * Secrets of at least 32 bytes, as text or bytes (`createSecret()` makes one): the first seals, all open. Without them each process has its own, and its
   * handles are useless in another.
   */
  readonly keys?: readonly Secret[];
  /** Lifetime of a handle in milliseconds. One hour when absent. */
  readonly ttlMs?: number;
  /** Source of time, for tests; the system's clock when absent. */
  readonly clock?: Clock;
}

/**
 * State without sessions: a handle that the model carries holds the state a tool needs later. No other caller can guess, read, change or use it, and it
 * expires. Nothing is stored on the server.
 */
export interface Handles<T> {
  mint(owner: HandleOwner, value: T): Promise<string>;
  /** Returns the value. Rejects with a `ToolError`, which the model reads, for a handle that was altered, has expired, or belongs to another caller or purpose. */
  open(owner: HandleOwner, handle: string): Promise<T>;
}

interface Sealed<T> {
  /** Time of expiry. */
  readonly x: number;
  readonly v: T;
}

/**
 * Makes handles for values of type `T`, which must be JSON.
 *
 * ```ts
 * const baskets = createHandles<Basket>({ purpose: 'a basket', keys: [process.env.HANDLE_SECRET] });
 * const handle = await baskets.mint(ctx, { items: [] });
 * const { items } = await baskets.open(ctx, handle);
 * ```
 */
export function createHandles<T>(options: HandleOptions): Handles<T> {
  const { purpose, ttlMs = 3_600_000, clock = systemClock } = options;
  const sealer = createSealer(options.keys ?? [randomSecret()], () => clock.now());
  const boundTo = (owner: HandleOwner): string => JSON.stringify(['handle', purpose, nameOf(owner) ?? null]);
  return {
    async mint(owner, value) {
      const sealed: Sealed<T> = { x: clock.now() + ttlMs, v: value };
      return sealer.seal(sealed, boundTo(owner));
    },
    async open(owner, handle) {
      let opened: Sealed<T>;
      try {
        opened = (await sealer.open(handle, boundTo(owner))) as Sealed<T>;
      } catch {
        throw new ToolError(`This is not a handle of yours for ${purpose}.`);
      }
      if (opened.x < clock.now()) throw new ToolError(`The handle for ${purpose} has expired.`);
      return opened.v;
    },
  };
}

/** The name of the owner. A context always has the member, also for a caller without a name. */
function nameOf(owner: HandleOwner): string | undefined {
  return 'principal' in owner ? owner.principal : principalOf(owner.authInfo);
}
