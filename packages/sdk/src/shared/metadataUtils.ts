/** `shared/metadataUtils.js` of the older SDK. */
import type { BaseMetadata } from '../types.ts';

/** What to show a person: title, then the annotation's title, then the name. An empty title is none. */
export function getDisplayName(
  metadata: BaseMetadata | (BaseMetadata & { annotations?: { title?: string | undefined } | undefined }),
): string {
  const annotated = 'annotations' in metadata ? metadata.annotations?.title : undefined;
  return metadata.title || annotated || metadata.name;
}
