import type { JsonObject } from '../../jsonrpc/message.ts';
import { inField, inSequence, without } from '../reducer.ts';

const dropLastModified = inField('annotations', without('lastModified'));
const plain = inSequence(without('_meta'), dropLastModified, inField('resource', without('_meta')));

/** A content block without `_meta`; a resource link becomes a text that names the resource. */
export function writeContent(block: JsonObject): JsonObject {
  const reduced = plain(block);
  return reduced['type'] === 'resource_link' ? writeLink(reduced) : reduced;
}

function writeLink({ name, uri, annotations }: JsonObject): JsonObject {
  const written: JsonObject = { type: 'text', text: `${String(name)}: ${String(uri)}` };
  if (annotations !== undefined) written['annotations'] = annotations;
  return written;
}

/** A listed definition without title and metadata. A tool's annotations have a title of their own, which stays. */
export const writeListed: (item: JsonObject) => JsonObject = inSequence(without('title', '_meta'), dropLastModified);
