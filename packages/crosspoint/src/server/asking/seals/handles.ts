import { systemClock, type Clock } from '../../../peer/clock.ts';
import { ToolError } from '../../../protocol/errors.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { principalOf } from '../../callers/caller.ts';
import { createSealer, type SealingKey } from './sealer.ts';

/** Whom a handle belongs to: the context of a request, or anything else that names the caller or has its verified token. */
export interface HandleOwner {
  readonly authInfo?: AuthInfo | undefined;
  /** The name of the caller. Absent: what the token says. */
  readonly principal?: string | undefined;
}

export interface HandleOptions {
  /** What the handles are for: one of another purpose is refused, though it was made with the same keys. */
  readonly purpose: string;
  /** The first seals, all open. Without them each process has its own, and a handle is of no use in another. */
  readonly keys?: readonly SealingKey[];
  /** How long a handle is good. One hour when absent. */
  readonly ttlMs?: number;
  readonly clock?: Clock;
}

/**
 * State without sessions: what a tool must find again later is named by a handle that the model carries. It cannot be guessed, read, changed or
 * used by anybody else, and it ends by itself. Nothing is kept here.
 */
export interface Handles<T> {
  mint(owner: HandleOwner, value: T): Promise<string>;
  /** The value. Rejects with a `ToolError`, which the model reads, for a handle that was altered, has expired, or belongs to another caller or purpose. */
  open(owner: HandleOwner, handle: string): Promise<T>;
}

interface Sealed<T> {
  /** When it expires. */
  readonly x: number;
  readonly v: T;
}

/** `T` must be something that JSON can hold. */
export function createHandles<T>(options: HandleOptions): Handles<T> {
  const { purpose, ttlMs = 3_600_000, clock = systemClock } = options;
  const sealer = createSealer(options.keys ?? [crypto.getRandomValues(new Uint8Array(32))], () => clock.now());
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

/** A context has the name, also where the caller has none. */
function nameOf(owner: HandleOwner): string | undefined {
  return 'principal' in owner ? owner.principal : principalOf(owner.authInfo);
}
