import type { CharSet } from './char-set.ts';

export type Edge = 'start' | 'end' | 'word' | 'not-word';

/** A regular expression without its captures: only whether it matches is ever needed. */
export type PatternNode =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly body: PatternNode; readonly ahead: boolean; readonly negated: boolean };
