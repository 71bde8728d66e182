import type { Caller, ServerContext } from 'crosspoint/server';
import { keyOf, toldOf, type Downstream, type ServerKind } from '../upstream/downstream.ts';
import type { Leaving, Slot, UpstreamSessions } from '../upstream/upstream-sessions.ts';
import { canBeAsked } from '../words/capabilities.ts';
import { mayAsk } from '../matching/ask.ts';

/** Finds the session of the server for a client, whose key depends on the family of the server. */
export class Reach {
  /** Called with each session that a request of a client goes to. */
  onreached: ((ctx: ServerContext, slot: Slot) => void) | undefined;
  readonly #sessions: UpstreamSessions;
  /** The server as last reached. Before that, it may have a handshake. */
  #server: ServerKind;

  constructor(sessions: UpstreamSessions, isStateless: boolean) {
    this.#sessions = sessions;
    this.#server = { family: 'handshake', isStateless };
  }

  /** The session for a caller: at once where one is open. */
  caller(caller: Caller, how: { alone?: boolean; leaving?: Leaving } = {}): Slot | Promise<Slot> {
    const key = keyOf(caller, this.#server);
    const open = this.#sessions.takeOpen(key, how);
    if (open !== undefined) return this.#kept(open, caller);
    const opening = this.#sessions.acquire(key, toldOf(caller, this.#server), how);
    return opening.then((opened) => this.#kept(opened, caller));
  }

  #kept(slot: Slot, caller: Caller): Slot {
    const { family } = slot.session;
    if (family === this.#server.family) return slot;
    this.#server = { ...this.#server, family };
    // The first contact, or a server that has changed its family: sessions are kept under other keys from now on.
    this.#sessions.move(slot, keyOf(caller, this.#server));
    return slot;
  }

  /**
   * The session for a request. Where a question of the server would name no call, a call that may be asked gets one without another such call. A client with a
   * session of its own at the server needs none: it is asked outside of calls.
   */
  request(ctx: ServerContext): Slot | Promise<Slot> {
    const isShared = ctx.family === 'per-request' || this.#server.isStateless;
    const alone = isShared && mayAsk(ctx.inbound.method) && canBeAsked(ctx.capabilities);
    const slot = this.caller(ctx, { alone, leaving: ctx });
    return 'then' in slot ? slot.then((opened) => this.#reached(ctx, opened)) : this.#reached(ctx, slot);
  }

  #reached(ctx: ServerContext, slot: Slot): Slot {
    this.onreached?.(ctx, slot);
    return slot;
  }

  /** A session by its key, as a task remembers it. */
  async known({ key, caller }: Downstream, leaving: Leaving): Promise<Slot> {
    return this.#sessions.acquire(key, caller, { leaving });
  }

  downstream(caller: Caller): Downstream {
    return { key: keyOf(caller, this.#server), caller: toldOf(caller, this.#server) };
  }
}
