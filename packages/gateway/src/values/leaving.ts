import type { ServerContext } from 'crosspoint/server';
import { newLightController } from './light-controller.ts';

const LEAVING = Symbol('leaving');

/** The context of a call, with the controller that ends with it. A member, so that it ends with its context. */
type Left = ServerContext & { [LEAVING]?: AbortController };

/** Runs a call, whose end by abortion is told to those that have its `leavingOf`. */
export function mayLeave<T>(ctx: ServerContext, run: () => Promise<T>): Promise<T> {
  const controller = ((ctx as Left)[LEAVING] = newLightController());
  const running = run();
  // The chain of the server rejects as soon as a call is aborted.
  running.then(undefined, (error: unknown) => {
    if (ctx.aborted) controller.abort(error);
  });
  return running;
}

/** A signal that aborts with the call: `ctx.signal` where the call does not run in `mayLeave`. */
export function leavingOf(ctx: ServerContext): AbortSignal {
  const light = (ctx as Left)[LEAVING];
  return light === undefined || ctx.aborted ? ctx.signal : light.signal;
}
