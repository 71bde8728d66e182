import type { ServerContext } from 'crosspoint/server';
import type { RequestOptions } from '../shared/protocol-options.ts';
import { relatedTaskOf } from '../shared/request-params.ts';
import { askAsV1 } from './asking-as-v1.ts';
import { assertServerTells } from './capability-checks.ts';

type Capabilities = Parameters<typeof assertServerTells>[0];

/** The context of a request, with the members of v1 as its own, so that a copy (`{ ...extra }`) has them; the others are inherited. */
export function oldExtra(ctx: ServerContext, capabilities: () => Capabilities): ServerContext {
  const own = {
    __proto__: ctx,
    get signal() {
      return ctx.signal;
    },
    get sessionId() {
      return ctx.sessionId;
    },
    get _meta() {
      return ctx._meta;
    },
    async sendNotification(notification: Parameters<ServerContext['sendNotification']>[0]) {
      if (ctx.aborted) return;
      assertServerTells(capabilities(), notification.method);
      await ctx.sendNotification(notification);
    },
    sendRequest: (...[request, schema, options]: Parameters<ServerContext['sendRequest']>) =>
      ctx.family === 'handshake'
        ? askAsV1(
            { request, declared: ctx.capabilities },
            (limited) => ctx.sendRequest(request, schema, limited),
            options as RequestOptions,
          )
        : ctx.sendRequest(request, schema, options),
    get authInfo() {
      return ctx.authInfo;
    },
    get requestId() {
      return ctx.requestId;
    },
    get requestInfo() {
      return ctx.requestInfo;
    },
    get taskId() {
      return ctx.taskId ?? relatedTaskOf(ctx._meta);
    },
    get taskStore() {
      return ctx.taskStore;
    },
    get taskRequestedTtl() {
      return ctx.taskRequestedTtl;
    },
    get closeSSEStream() {
      return ctx.closeSSEStream;
    },
    get closeStandaloneSSEStream() {
      return ctx.closeStandaloneSSEStream;
    },
  };
  return own as object as ServerContext;
}
