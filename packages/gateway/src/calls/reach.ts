import type { Caller, ServerContext } from 'crosspoint/server';
import { downstreamOf, type Downstream } from '../upstream/downstream.ts';
import type { Leaving, Slot, UpstreamSessions } from '../upstream/upstream-sessions.ts';
import { canBeAsked } from '../words/capabilities.ts';
import { mayAsk } from '../matching/ask.ts';

type Family = 'handshake' | 'per-request';

/** Finds the session of the server for a client, whose key depends on the family of the server. */
export class Reach {
  /** Called with each session that a request of a client goes to. */
  onreached: ((ctx: ServerContext, slot: Slot) => void) | undefined;
  readonly #sessions: UpstreamSessions;
  readonly #isStateless: boolean;
  /** The family of the server, once it was reached. */
  #family: Family | undefined;

  constructor(sessions: UpstreamSessions, isStateless: boolean) {
    this.#sessions = sessions;
    this.#isStateless = isStateless;
  }

  /** The session for a caller. */
  async caller(caller: Caller, how: { alone?: boolean; leaving?: Leaving } = {}): Promise<Slot> {
    const { key, caller: told } = this.downstream(caller);
    const slot = await this.#sessions.acquire(key, told, how);
    const expected = this.#family ?? 'handshake';
    this.#family = slot.session.family;
    if (expected === this.#family) return slot;
    // The first contact, or a server that has changed its family: sessions are kept under other keys from now on.
    this.#sessions.move(slot, this.downstream(caller).key);
    return slot;
  }

  /**
   * The session for a request. Where a question of the server would name no call, a call that may be asked gets one without another such call. A client with a
   * session of its own at the server needs none: it is asked outside of calls.
   */
  async request(ctx: ServerContext): Promise<Slot> {
    const isShared = ctx.family === 'per-request' || this.#isStateless;
    const alone = isShared && mayAsk(ctx.inbound.method) && canBeAsked(ctx.capabilities);
    const slot = await this.caller(ctx, { alone, leaving: ctx });
    this.onreached?.(ctx, slot);
    return slot;
  }

  /** A session by its key, as a task remembers it. */
  async known({ key, caller }: Downstream, leaving: Leaving): Promise<Slot> {
    return this.#sessions.acquire(key, caller, { leaving });
  }

  downstream(caller: Caller): Downstream {
    return downstreamOf(caller, this.#family ?? 'handshake', this.#isStateless);
  }
}
