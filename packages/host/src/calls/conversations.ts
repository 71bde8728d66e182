const MOST = 1000;

/**
 * The servers whose results each conversation holds. A call to another server may have been led by their words, so rules can look at them.
 * The conversation that was used longest ago is forgotten when there are more than a thousand.
 */
export class Conversations {
  readonly #influences = new Map<string, Set<string>>();

  /** The servers other than `server` whose results the conversation holds. */
  influences(conversation: string, server: string): readonly string[] {
    return [...(this.#influences.get(conversation) ?? [])].filter((other) => other !== server);
  }

  /** A result, a resource or a prompt of the server has come into the conversation. */
  add(conversation: string, server: string): void {
    const servers = this.#influences.get(conversation) ?? new Set();
    this.#influences.delete(conversation);
    this.#influences.set(conversation, servers.add(server));
    const [oldest] = this.#influences.keys();
    if (this.#influences.size > MOST && oldest !== undefined) this.#influences.delete(oldest);
  }

  /** The conversation is over, or begins anew. */
  forget(conversation: string): void {
    this.#influences.delete(conversation);
  }
}
