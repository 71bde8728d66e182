import { isJsonObject } from '../../jsonrpc/message.ts';
import { declares, defineExtension, type Extension } from '../extension.ts';

export const APPS_EXTENSION_ID = 'io.modelcontextprotocol/ui';

/** The type of a document that a host can show. */
export const RESOURCE_MIME_TYPE = 'text/html;profile=mcp-app';

/** Where older hosts look for what `_meta.ui.resourceUri` says. */
export const RESOURCE_URI_META_KEY = 'ui/resourceUri';

/**
 * Apps: tools whose results a host shows in a document that the server brings along. It adds no methods between client and server: documents are
 * resources, and what they have to do with tools stands in `_meta`.
 */
export const appsExtension: Extension = defineExtension({
  id: APPS_EXTENSION_ID,
  families: ['per-request', 'handshake'],
});

/** What a client says of itself. */
export interface UiClientCapabilities {
  mimeTypes?: readonly string[];
}

interface WithExtensions {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** What a client has declared of apps; `undefined` when it has declared nothing. */
export function getUiCapability(capabilities: WithExtensions | null | undefined): UiClientCapabilities | undefined {
  const { extensions } = capabilities ?? {};
  const declared = isJsonObject(extensions) ? extensions[APPS_EXTENSION_ID] : undefined;
  return isJsonObject(declared) ? declared : undefined;
}

/** Whether a client shows documents of the type that there is. */
export function showsApps(capabilities: WithExtensions): boolean {
  if (!declares(capabilities, APPS_EXTENSION_ID)) return false;
  const { mimeTypes } = getUiCapability(capabilities) ?? {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(RESOURCE_MIME_TYPE);
}
