import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { toBase64 } from '../runtime/base64.ts';
import type { Resource } from './resources.ts';

export type Role = 'user' | 'assistant';

export interface Annotations {
  audience?: Role[];
  /** 0 (least) to 1 (most important). */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface ImageContent {
  type: 'image';
  /** base64 */
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface AudioContent {
  type: 'audio';
  /** base64 */
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}

export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** base64 */
  blob: string;
  _meta?: JsonObject;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface ResourceLink extends Resource {
  type: 'resource_link';
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** One text block, the content of most results. */
export function text(value: string): { content: [TextContent] } {
  return { content: [{ type: 'text', text: value }] };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIME_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?:\s*;.*)?$/;

/** Tests for base64. Of a value longer than 4,096 characters only the first and the last 1,024 are checked, so that a large image costs no full scan. */
export function isBase64(value: unknown): value is string {
  if (typeof value !== 'string' || value.length % 4 !== 0) return false;
  return value.length <= 4096
    ? BASE64.test(value)
    : BASE64.test(value.slice(0, 1024)) && BASE64.test(value.slice(-1024));
}

export function isMimeType(value: unknown): value is string {
  return typeof value === 'string' && MIME_TYPE.test(value);
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Returns what is wrong with annotations, or `undefined`. Unknown members are left alone. */
export function annotationsFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'annotations must be an object';
  const { audience, priority, lastModified } = value;
  if (
    audience !== undefined &&
    !(Array.isArray(audience) && audience.every((role) => role === 'user' || role === 'assistant'))
  )
    return 'the audience must be a list of "user" and "assistant"';
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    return 'the priority must be a number from 0 to 1';
  if (lastModified !== undefined && !(typeof lastModified === 'string' && ISO_8601.test(lastModified)))
    return 'lastModified must be a time in ISO 8601 form';
  return undefined;
}

/** Returns what is wrong with a content block, or `undefined`. Unknown types are left alone: the set of blocks is open. */
export function contentFault(block: unknown): string | undefined {
  if (!isJsonObject(block) || typeof block['type'] !== 'string') return 'a content block needs a type';
  if (block['annotations'] !== undefined) {
    const fault = annotationsFault(block['annotations']);
    if (fault !== undefined) return fault;
  }
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? undefined : 'text content needs a text';
    case 'image':
    case 'audio':
      if (!isBase64(block['data'])) return `${block['type']} content needs base64 data`;
      return isMimeType(block['mimeType']) ? undefined : `${block['type']} content needs a MIME type`;
    case 'resource':
      return resourceContentsFault(block['resource']);
    case 'resource_link':
      return typeof block['uri'] === 'string' && typeof block['name'] === 'string'
        ? undefined
        : 'a resource link needs a uri and a name';
    default:
      return undefined;
  }
}

/** Returns what is wrong with one item of `contents`, or `undefined`. */
export function resourceContentsFault(value: unknown): string | undefined {
  if (!isJsonObject(value) || typeof value['uri'] !== 'string') return 'resource contents need a uri';
  if (typeof value['text'] === 'string') return undefined;
  return isBase64(value['blob']) ? undefined : 'resource contents need a text or a base64 blob';
}

/** Contents of a resource: text as `text`, bytes as base64 in `blob`, whatever the MIME type says. */
export function resourceContents(uri: string, data: string | Uint8Array, mimeType?: string): ResourceContents {
  const type = mimeType === undefined ? {} : { mimeType };
  return typeof data === 'string' ? { uri, ...type, text: data } : { uri, ...type, blob: toBase64(data) };
}
