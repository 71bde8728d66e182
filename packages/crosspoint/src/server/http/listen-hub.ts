import type { RequestId } from '../../jsonrpc/message.ts';
import { writeSseEvent } from '../../wire/sse.ts';
import type { Listener } from '../change-notices.ts';
import type { ServerContext } from '../context.ts';
import type { RequestHandler } from '../handler.ts';
import { ListenStreams, changeText, marked, type Change } from '../listening.ts';
import type { StatelessExchange } from './stateless-exchange.ts';

interface Stream {
  readonly exchange: StatelessExchange;
  /** The id of its request, which every event names. */
  readonly id: RequestId;
  release(): void;
}

/** The listen streams of one endpoint: each is the open answer to a POST of its own. */
export class ListenHub implements Listener {
  readonly #filters: ListenStreams;
  readonly #open = new Map<RequestId, Stream>();
  readonly #lifetimeMs: number;
  #next = 1;

  /** `lifetimeMs`: after how long a stream ends well, so that its client asks again; 0 for never. */
  constructor(max: number, lifetimeMs: number) {
    this.#filters = new ListenStreams(max);
    this.#lifetimeMs = lifetimeMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers `subscriptions/listen`: acknowledges what is granted and keeps the stream. */
  handlerFor(exchange: StatelessExchange): RequestHandler {
    return ({ params }, ctx) => {
      const key = this.#next++;
      const honored = this.#filters.open(key, params, exchange.core.capabilities(), (uri) => exchange.core.mayWatch(uri, ctx));
      exchange.emit(ctx, 'notifications/subscriptions/acknowledged', marked({ notifications: honored }, ctx.requestId));
      if (Object.keys(honored).length > 0) this.#keep(key, exchange, ctx);
      else this.#filters.close(key);
      return marked({}, ctx.requestId);
    };
  }

  /** The text is written once, whatever the number of streams. One that is dead is dropped and delays nobody. */
  tell(change: Change): void {
    let halves: readonly [before: string, after: string] | undefined;
    for (const key of this.#filters.interested(change)) {
      const stream = this.#open.get(key);
      if (stream === undefined) continue;
      halves ??= eventHalves(change);
      if (!reaches(stream.exchange, `${halves[0]}${JSON.stringify(stream.id)}${halves[1]}`)) this.#drop(key);
    }
  }

  /** Ends every stream with the result that says it ended well. */
  close(): void {
    for (const [key, { exchange, id }] of this.#open) {
      this.#drop(key);
      exchange.end(marked({}, id));
    }
  }

  #keep(key: RequestId, exchange: StatelessExchange, ctx: ServerContext): void {
    const { clock } = exchange.core;
    const id = ctx.requestId;
    const over = (): void => {
      this.#drop(key);
      exchange.end(marked({}, id));
    };
    const timer = this.#lifetimeMs > 0 ? clock.setTimeout(over, this.#lifetimeMs) : undefined;
    // A stream must not keep a process alive that has nothing else to do.
    (timer as { unref?: () => void } | undefined)?.unref?.();
    this.#open.set(key, { exchange, id, release: () => clock.clearTimeout(timer) });
    exchange.hold();
    exchange.reply.onabort(() => this.#drop(key));
  }

  #drop(key: RequestId): void {
    this.#filters.close(key);
    this.#open.get(key)?.release();
    this.#open.delete(key);
  }
}

/** The event of a change, without the id of the stream that stands between the halves. */
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
