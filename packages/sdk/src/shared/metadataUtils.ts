/** `shared/metadataUtils.js` of v1. */
import type { BaseMetadata } from '../types.ts';

/** The name to display: title, then the annotation's title, then the name. An empty title is skipped. */
export function getDisplayName(
  metadata: BaseMetadata | (BaseMetadata & { annotations?: { title?: string | undefined } | undefined }),
): string {
  const annotated = 'annotations' in metadata ? metadata.annotations?.title : undefined;
  return metadata.title || annotated || metadata.name;
}
