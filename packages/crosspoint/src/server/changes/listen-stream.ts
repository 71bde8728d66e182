import type { Listened } from './listening.ts';

/** The stream that a `subscriptions/listen` opens. */
export interface ListenStream {
  /** Whether it was opened and has not ended. */
  readonly isOpen: boolean;
  /** Resolves when an opened stream has ended: its client has left, its time or its token is over, or the server needs its place. */
  readonly ended: Promise<void>;
}

const streams = new WeakMap<object, ListenStream>();

/**
 * The stream of a `subscriptions/listen`, for a middleware that keeps something while it lasts: `ctx.signal` tells only of clients that leave.
 *
 * ```ts
 * const stream = listenStreamOf(context);
 * void stream.ended.then(() => watch.close());
 * const outcome = await next();
 * if (!stream.isOpen) await watch.close();
 * ```
 */
export function listenStreamOf(ctx: object): ListenStream {
  let stream = streams.get(ctx);
  if (stream === undefined) streams.set(ctx, (stream = followed(ctx)));
  return stream;
}

function followed(ctx: Listened): ListenStream {
  const state = { isOpen: false };
  const ended = new Promise<void>((resolve) => {
    ctx.onlisten = (isOpen) => {
      state.isOpen = isOpen;
      if (!isOpen) resolve();
    };
  });
  return {
    get isOpen() {
      return state.isOpen;
    },
    ended,
  };
}
