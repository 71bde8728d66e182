import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import { writeSseEvent } from '../../wire/sse.ts';
import type { Listener } from '../change-notices.ts';
import type { ServerContext } from '../context.ts';
import type { RequestHandler } from '../handler.ts';
import { ListenStreams, changeNotification, marked, type Change } from '../listening.ts';
import type { StatelessExchange } from './stateless-exchange.ts';

/** The listen streams of one endpoint: each is the open answer to a POST of its own. */
export class ListenHub implements Listener {
  readonly #filters: ListenStreams;
  readonly #open = new Map<RequestId, { readonly exchange: StatelessExchange; readonly id: RequestId }>();
  #next = 1;

  constructor(max: number) {
    this.#filters = new ListenStreams(max);
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

  tell(change: Change): void {
    const { method, params } = changeNotification(change);
    for (const key of this.#filters.interested(change)) {
      const stream = this.#open.get(key);
      if (stream && !stream.exchange.push(eventOf(method, marked(params, stream.id)))) this.#drop(key);
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
    this.#open.set(key, { exchange, id: ctx.requestId });
    exchange.hold();
    exchange.reply.onabort(() => this.#drop(key));
  }

  #drop(key: RequestId): void {
    this.#filters.close(key);
    this.#open.delete(key);
  }
}

function eventOf(method: string, params: JsonObject): string {
  return writeSseEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) });
}
