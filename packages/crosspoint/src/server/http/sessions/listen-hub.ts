import type { JsonObject } from '../../../jsonrpc/message.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import { newHolding, type Holding, type Keeper } from '../../../stores/shares.ts';
import { writeSseEvent } from '../../../wire/sse.ts';
import { ownerKey } from '../../callers/caller.ts';
import type { Listener } from '../../changes/change-notices.ts';
import type { ServerContext } from '../../calls/context.ts';
import { holdHeavy, refuseHeavy } from '../../callers/open-bytes.ts';
import { roughSize } from '../../callers/rough-size.ts';
import type { RequestHandler } from '../../calls/handler.ts';
import { ListenStreams, changeText, marked, type Change } from '../../changes/listening.ts';
import type { Granted } from '../../server-extension.ts';
import { Slots } from './slots.ts';
import type { StatelessExchange } from '../stateless-exchange.ts';
import { tokenLife } from '../../../transports/auth-info.ts';
import type { Ticker, Ticking } from '../../../transports/http/server/sessions/ticker.ts';

/** A stream and its slot. */
interface Open extends Holding {
  readonly key: number;
  readonly exchange: StatelessExchange;
  readonly ctx: ServerContext;
  /** Time at which it is ended: the end of its lifetime, or of the token it was opened with. */
  readonly until: number;
  /** Estimated bytes of its request. */
  readonly bytes: number;
  /** The count of its bytes, for a stream opened with a long request. */
  heavy: Holding | undefined;
}

export interface ListenHubOptions {
  readonly max: number;
  readonly lifetimeMs: number;
  readonly ticker: Ticker;
}

/** The listen streams of one endpoint: each is the open answer to a POST of its own. */
export class ListenHub implements Listener, Ticking, Keeper {
  readonly #filters = new ListenStreams(Number.POSITIVE_INFINITY);
  readonly #slots: Slots;
  readonly #options: ListenHubOptions;
  /** Streams by a key of the hub, since clients may choose the same ids. */
  readonly #open = new Map<number, Open>();
  #next = 1;

  constructor(options: ListenHubOptions) {
    this.#options = options;
    this.#slots = new Slots(options.max);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers `subscriptions/listen`: acknowledges the granted filters and keeps the stream open. */
  handlerFor(exchange: StatelessExchange): RequestHandler {
    return ({ params }, ctx) => {
      const grants = exchange.core.extensions?.grants(params, ctx);
      return grants === undefined
        ? this.#listen(exchange, params, ctx)
        : grants.then((granted) => this.#listen(exchange, params, ctx, granted));
    };
  }

  #listen(exchange: StatelessExchange, params: JsonObject, ctx: ServerContext, granted: Granted = {}): JsonObject {
    // The client may have disconnected while extensions were asked.
    if (ctx.aborted) return {};
    const owner = ownerKey(ctx.owner);
    if (!this.#slots.hasRoom(owner))
      throw new ProtocolError('rate-limited', `No more than ${this.#options.max} listen streams.`);
    const bytes = roughSize(params);
    refuseHeavy(exchange.core.leftBehind, owner, bytes);
    const key = this.#next++;
    const honored = this.#filters.open(key, params, exchange.core, ctx);
    Object.assign(honored, this.#filters.grant(key, granted));
    ctx.call.emit('notifications/subscriptions/acknowledged', marked({ notifications: honored }, ctx.requestId));
    const until = exchange.core.clock.now() + Math.min(this.#options.lifetimeMs, tokenLife(ctx.authInfo));
    if (Object.keys(honored).length > 0) this.#keep(owner, newOpen(this, { key, exchange, ctx, until, bytes }));
    else this.#filters.close(key);
    exchange.core.extensions?.opened(granted, (problem) => exchange.core.onproblem(problem));
    return marked({}, ctx.requestId);
  }

  /** Announces a change. The text is written once for all streams. A dead stream is dropped and delays no other. */
  tell(change: Change): void {
    let halves: readonly [before: string, after: string] | undefined;
    for (const key of this.#filters.interested(change)) {
      const stream = this.#open.get(key as number);
      if (stream === undefined) continue;
      halves ??= eventHalves(change);
      const text = `${halves[0]}${JSON.stringify(stream.ctx.requestId)}${halves[1]}`;
      if (!reaches(stream.exchange, text)) this.#drop(key as number);
    }
  }

  tick(now: number): void {
    for (const [key, { until }] of this.#open) if (now >= until) this.#end(key);
  }

  /** Ends every stream with its regular result. */
  close(): void {
    for (const key of this.#open.keys()) this.#end(key);
  }

  /** Ends a stream whose slot is needed for a caller with fewer. */
  shed(holding: Holding): void {
    this.#end((holding as Open).key);
  }

  #keep(owner: string, open: Open): void {
    const { exchange, key } = open;
    this.#open.set(key, open);
    this.#slots.take(owner, open);
    exchange.hold();
    exchange.reply.onabort(() => this.#drop(key));
    open.heavy = holdHeavy(exchange.core.leftBehind, owner, open.bytes, () => this.#end(key));
    if (Number.isFinite(open.until)) this.#options.ticker.add(this);
  }

  #end(key: number): void {
    const open = this.#open.get(key);
    this.#drop(key);
    open?.exchange.end(marked({}, open.ctx.requestId));
  }

  #drop(key: number): void {
    const open = this.#open.get(key);
    if (open) this.#slots.release(open);
    if (open?.heavy) open.exchange.core.leftBehind.release(open.heavy);
    this.#filters.close(key);
    this.#open.delete(key);
    if (this.#open.size === 0) this.#options.ticker.delete(this);
  }
}

function newOpen(keeper: Keeper, open: Pick<Open, 'key' | 'exchange' | 'ctx' | 'until' | 'bytes'>): Open {
  return { ...open, heavy: undefined, ...newHolding(keeper) };
}

/** The event of a change in two halves; the id of the stream goes between them. */
function eventHalves(change: Change): readonly [before: string, after: string] {
  const { before, after } = changeText(change);
  // JSON text holds no NUL, so it marks the place.
  const [head = '', tail = ''] = writeSseEvent({ data: `${before}\0${after}` }).split('\0');
  return [head, tail];
}

function reaches(exchange: StatelessExchange, text: string): boolean {
  try {
    return exchange.push(text);
  } catch {
    return false;
  }
}
