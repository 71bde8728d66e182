import { isAbsoluteUri, isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { RESOURCE_URI_META_KEY } from './apps-extension.ts';

/** The callers of a tool: the model, and documents of the same server. */
export type UiVisibility = 'model' | 'app';

/** The value of `_meta.ui` on a tool. */
export interface UiToolMeta {
  /** The URI of the document that shows the tool's results. */
  resourceUri?: string;
  /** The callers that may use the tool; both when absent. */
  visibility?: readonly UiVisibility[];
}

export function isUiUri(uri: unknown): boolean {
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length > 'ui://'.length && isAbsoluteUri(uri);
}

/** Returns what is wrong with `_meta.ui` of a tool, or `undefined`. */
export function uiToolFault(ui: unknown): string | undefined {
  if (!isJsonObject(ui)) return '_meta.ui must be an object';
  const { resourceUri, visibility } = ui;
  if (resourceUri !== undefined && !isUiUri(resourceUri)) return 'the resourceUri must begin with ui://';
  const isKnown = (who: unknown): boolean => who === 'model' || who === 'app';
  if (visibility !== undefined && !(Array.isArray(visibility) && visibility.length > 0 && visibility.every(isKnown)))
    return 'the visibility must be a list of "model" and "app"';
  return undefined;
}

/**
 * Reads the apps metadata of a tool, in the present spelling or the older one. An invalid `resourceUri` is ignored; a `visibility` that is not
 * understood hides the tool from every caller.
 */
export function uiOfTool(tool: { readonly _meta?: JsonObject | undefined }): {
  readonly resourceUri: string | undefined;
  readonly visibility: readonly UiVisibility[];
} {
  const meta = tool._meta ?? {};
  const ui: JsonObject = isJsonObject(meta['ui']) ? meta['ui'] : {};
  const uri = ui['resourceUri'] ?? meta[RESOURCE_URI_META_KEY];
  const given = ui['visibility'];
  const visibility: unknown[] = given === undefined ? ['model', 'app'] : Array.isArray(given) ? given : [];
  return {
    resourceUri: typeof uri === 'string' && isUiUri(uri) ? uri : undefined,
    visibility: visibility.filter((who): who is UiVisibility => who === 'model' || who === 'app'),
  };
}
