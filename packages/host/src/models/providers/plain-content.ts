/** Content that an API has no words for, said in text. */
import type { MediaBlock, ResourceBlock, ResultBlock, TextBlock } from '../model.ts';

const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

export function isPlainImage(mimeType: string | undefined): boolean {
  return mimeType !== undefined && IMAGES.includes(mimeType.toLowerCase());
}

/** A note in place of something that the model cannot be given. */
export function unseen({ type, mimeType }: Pick<MediaBlock, 'type' | 'mimeType'>): TextBlock {
  return {
    type: 'text',
    text: `(${type === 'image' ? 'An image' : 'A sound'} of type ${mimeType}, which cannot be shown to this model.)`,
  };
}

/**
 * A resource as content that every API has: its text under its address, an image as one, a link as its address. A PDF stays a resource, for those
 * that take it; any other bytes are a note.
 */
export function opened(block: ResultBlock): ResultBlock {
  if (block.type !== 'resource') return block;
  const { uri, mimeType, text, blob } = block;
  if (text !== undefined) return { type: 'text', text: `Resource ${uri}:\n${text}` };
  if (blob === undefined) return { type: 'text', text: `Resource ${uri} (a link; its content is not here)` };
  if (isPlainImage(mimeType)) return { type: 'image', data: blob, mimeType: mimeType ?? '' };
  return isPdf(block)
    ? block
    : {
        type: 'text',
        text: `Resource ${uri} (bytes of type ${mimeType ?? 'unknown'}, which cannot be shown to this model)`,
      };
}

export function isPdf({ mimeType, blob }: ResourceBlock): boolean {
  return mimeType === 'application/pdf' && blob !== undefined;
}
