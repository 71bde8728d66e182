import { isJsonObject } from 'crosspoint/internal';
import { declares, defineExtension, type Extension } from 'crosspoint';

export const APPS_EXTENSION_ID = 'io.modelcontextprotocol/ui';

/** The MIME type of a document that a host can show. */
export const RESOURCE_MIME_TYPE = 'text/html;profile=mcp-app';

/** The `_meta` key under which older hosts look for the document of a tool; newer ones read `_meta.ui.resourceUri`. */
export const RESOURCE_URI_META_KEY = 'ui/resourceUri';

/**
 * Apps: tools whose results a host shows in a document of the server. The extension adds no methods: documents are resources, and `_meta` links
 * them to tools.
 */
export const appsExtension: Extension = defineExtension({
  id: APPS_EXTENSION_ID,
  families: ['per-request', 'handshake'],
});

/** The settings that a client declares for apps. */
export interface UiClientCapabilities {
  mimeTypes?: readonly string[];
}

interface WithExtensions {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The apps capability that a client has declared; `undefined` when it has declared none. */
export function getUiCapability(capabilities: WithExtensions | null | undefined): UiClientCapabilities | undefined {
  const { extensions } = capabilities ?? {};
  const declared = isJsonObject(extensions) ? extensions[APPS_EXTENSION_ID] : undefined;
  return isJsonObject(declared) ? declared : undefined;
}

/** Whether a client shows documents of type `RESOURCE_MIME_TYPE`. */
export function showsApps(capabilities: WithExtensions): boolean {
  if (!declares(capabilities, APPS_EXTENSION_ID)) return false;
  const { mimeTypes } = getUiCapability(capabilities) ?? {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(RESOURCE_MIME_TYPE);
}
