import type { CallToolResult, Implementation, ReadResourceResult, Tool } from 'crosspoint/client';
import type { Asks } from '../inbox/item.ts';
import type { JsonObject } from '../values/json.ts';
import { openWithConsent } from './open-with-consent.ts';
import type { ViewBridgeOptions } from './protocol.ts';

/** The part of a `Host` that a view reaches, and only through its own server. */
export interface ViewedHost {
  readonly inbox: Asks;
  readonly catalogue: {
    listingOf(server: string): { readonly tools: readonly Tool[] } | undefined;
    toolOf(server: string, tool: string): { readonly name: string } | undefined;
  };
  callTool(
    name: string,
    args: JsonObject,
    options: { readonly signal?: AbortSignal; readonly reason?: string },
  ): Promise<CallToolResult>;
  readResource(server: string, uri: string, options: { readonly signal?: AbortSignal }): Promise<ReadResourceResult>;
}

export interface ViewOfHostOptions {
  readonly hostInfo: Implementation;
  /** Sends a message to the view. */
  readonly send: ViewBridgeOptions['send'];
  /** Opens a page that the user agreed to; the one who answers opens it when absent. */
  readonly openUrl?: (url: string) => void | Promise<void>;
}

/**
 * Options of a `ViewBridge` for a view of one server of the host. Its calls of tools pass the policy and the user as those of the model do, its
 * links go through the inbox, and it reaches no other server.
 *
 * ```ts
 * const bridge = new ViewBridge(viewOfHost(host, 'weather', { hostInfo, send: (message) => port.postMessage(message) }));
 * ```
 */
export function viewOfHost(host: ViewedHost, server: string, options: ViewOfHostOptions): ViewBridgeOptions {
  const { openUrl, ...given } = options;
  return {
    ...given,
    server,
    tools: () => [...(host.catalogue.listingOf(server)?.tools ?? [])],
    callTool: ({ name, arguments: args }, { signal }) => {
      const found = host.catalogue.toolOf(server, name);
      if (found === undefined) throw new TypeError(`The server "${server}" has no tool ${JSON.stringify(name)}.`);
      return host.callTool(found.name, args, {
        signal,
        reason: `The view of the server "${server}" wants it.`,
      });
    },
    readResource: ({ uri }, { signal }) => host.readResource(server, uri, { signal }),
    open: openWithConsent({ asks: host.inbox, server, ...(openUrl !== undefined && { openUrl }) }),
  };
}
