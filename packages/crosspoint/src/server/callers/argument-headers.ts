import type { JsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError, type ProtocolError } from '../../protocol/errors.ts';
import { readMirroredParams, type MirroredParam } from '../../protocol/mirrored-params.ts';
import type { Tool } from '../../protocol/tools.ts';
import { checkMirroredParams } from '../../transports/http/server/guards/mirrored-headers.ts';
import type { ServerContext } from '../calls/context.ts';

/** Throws when a header of the request differs from the argument that it repeats. */
export function checkArgumentHeaders(
  { family, requestInfo }: ServerContext,
  params: JsonObject,
  mirrored: readonly MirroredParam[],
): void {
  if (family === 'handshake' || requestInfo === undefined) return;
  const header = (name: string): string | undefined => {
    const value = requestInfo.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  checkMirroredParams({ header }, params, mirrored);
}

/**
 * The fault of a call whose headers do not repeat its arguments as the definition of its tool says; `undefined` where there is none. For handlers of a low-level
 * `Server`, which knows no definitions.
 *
 * ```ts
 * const fault = headerFault(ctx, tool);
 * if (fault) throw fault;
 * ```
 */
export function headerFault(ctx: ServerContext, tool: Pick<Tool, 'inputSchema'>): ProtocolError | undefined {
  const read = readMirroredParams(tool.inputSchema);
  if (!read.ok || read.params.length === 0) return undefined;
  try {
    checkArgumentHeaders(ctx, ctx.inbound.params, read.params);
    return undefined;
  } catch (error) {
    if (isProtocolError(error)) return error;
    throw error;
  }
}
