import type { RedisLink } from './redis-client.ts';
import type { RedisSlot, RedisSlots } from './redis-slots.ts';

/**
 * Runs scripts in Redis by their SHA-1 hashes. The text of a script is sent at its first use in a slot and on a connection, so that a restarted Redis
 * knows it and commands keep their order.
 */
export class RedisScripting {
  readonly #link: RedisLink;
  readonly #names = new Map<string, string>();

  constructor(link: RedisLink, slots: RedisSlots) {
    this.#link = link;
    link.onconnected = () => slots.all.forEach(({ known }) => known.clear());
  }

  /** Runs a script on keys of one slot. */
  async run(script: string, slot: RedisSlot, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    const name = this.#names.get(script);
    if (name === undefined || !slot.known.has(script)) return this.#send(script, slot, rest);
    try {
      return await this.#link.send(['EVALSHA', name, ...rest]);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      // The slot has moved to another Redis, or an operator has flushed the scripts; the command had no effect.
      return this.#send(script, slot, rest);
    }
  }

  #send(script: string, slot: RedisSlot, rest: readonly string[]): Promise<unknown> {
    if (!this.#names.has(script)) void this.#name(script).catch(() => {});
    const sent = this.#link.send(['EVAL', script, ...rest]);
    if (this.#link.client.isReady) slot.known.add(script);
    return sent;
  }

  async #name(script: string): Promise<void> {
    const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script));
    this.#names.set(script, [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
  }
}

function isUnknown(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message.startsWith('NOSCRIPT');
}
