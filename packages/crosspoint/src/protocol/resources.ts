import type { JsonObject } from '../jsonrpc/message.ts';
import type { Annotations, ResourceContents } from './content.ts';
import type { Icon } from './implementation.ts';
import type { CacheHints, Page } from './listing.ts';

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  icons?: Icon[];
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface ResourceTemplateDefinition {
  /** RFC 6570. */
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  icons?: Icon[];
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface ListResourcesResult extends Page, CacheHints {
  resources: Resource[];
}

export interface ListResourceTemplatesResult extends Page, CacheHints {
  resourceTemplates: ResourceTemplateDefinition[];
}

export interface ReadResourceResult extends CacheHints {
  contents: ResourceContents[];
  _meta?: JsonObject;
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** An absolute URI by RFC 3986: a scheme, and none of the characters that must be encoded. */
export function isAbsoluteUri(value: string): boolean {
  // eslint-disable-next-line no-control-regex
  return SCHEME.test(value) && !/[\u0000-\u0020"<>\\^`{|}\u007f]/.test(value) && !/%(?![0-9A-Fa-f]{2})/.test(value);
}
