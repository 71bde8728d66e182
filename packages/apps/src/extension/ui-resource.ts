import { fromBase64, isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { RESOURCE_MIME_TYPE } from './apps-extension.ts';

/** The origins that a document needs, by purpose. An absent list allows none. */
export interface UiCsp {
  /** For `fetch`, WebSockets and the like. */
  connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  resourceDomains?: readonly string[];
  /** For frames inside the document. */
  frameDomains?: readonly string[];
  /** For `<base>`. */
  baseUriDomains?: readonly string[];
}

/** The browser features that a document asks for. */
export interface UiPermissions {
  camera?: JsonObject;
  microphone?: JsonObject;
  geolocation?: JsonObject;
  clipboardWrite?: JsonObject;
}

/** The value of `_meta.ui` on a document. */
export interface UiResourceMeta {
  csp?: UiCsp;
  permissions?: UiPermissions;
  /** A dedicated origin for the document, in the form that the host defines. */
  domain?: string;
  prefersBorder?: boolean;
}

export const CSP_MEMBERS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?$/;

/** Whether a text is exactly one origin. Any other text must never become part of a policy. */
export function isOrigin(value: unknown): value is string {
  return typeof value === 'string' && ORIGIN.test(value);
}

/** Returns what is wrong with `_meta.ui` of a document, or `undefined`. */
export function uiResourceFault(ui: unknown): string | undefined {
  if (!isJsonObject(ui)) return '_meta.ui must be an object';
  const { csp, permissions, domain, prefersBorder } = ui;
  if (csp !== undefined && !isJsonObject(csp)) return 'csp must be an object';
  for (const member of CSP_MEMBERS) {
    const origins = csp?.[member];
    if (origins !== undefined && !(Array.isArray(origins) && origins.every(isOrigin)))
      return `${member} must be a list of origins, like "https://example.com"`;
  }
  if (permissions !== undefined && !(isJsonObject(permissions) && Object.values(permissions).every(isJsonObject)))
    return 'permissions must be an object of objects';
  if (domain !== undefined && typeof domain !== 'string') return 'domain must be a text';
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean') return 'prefersBorder must be true or false';
  return undefined;
}

/** Whether a text begins with `<!doctype html>`, after any white space and comments. */
function isHtml5(text: string): boolean {
  const blanks = /\s*/y;
  const doctype = /<!doctype\s+html\s*>/iy;
  for (;;) {
    blanks.test(text);
    const at = blanks.lastIndex;
    if (!text.startsWith('<!--', at)) {
      doctype.lastIndex = at;
      return doctype.test(text);
    }
    const end = text.indexOf('-->', at + 4);
    if (end === -1) return false;
    blanks.lastIndex = end + 3;
  }
}

/** Returns what is wrong with the contents of a document, or `undefined`. */
export function documentFault(contents: unknown): string | undefined {
  if (!isJsonObject(contents)) return 'there are no contents';
  if (contents['mimeType'] !== RESOURCE_MIME_TYPE) return `its type must be ${RESOURCE_MIME_TYPE}`;
  const html = htmlOf(contents);
  if (html === undefined) return 'it needs a text, or a blob in base64';
  return isHtml5(html.replace(/^\uFEFF/, ''))
    ? undefined
    : 'it must be an HTML5 document, which begins with <!doctype html>';
}

export function htmlOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  if (typeof blob !== 'string') return undefined;
  try {
    return new TextDecoder().decode(fromBase64(blob));
  } catch {
    return undefined;
  }
}
