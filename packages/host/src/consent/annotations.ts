import { effectiveAnnotations, type Tool } from 'crosspoint/client';
import type { Guard } from './matching.ts';
import type { AnnotationTest } from './policy.ts';

/** The hints of a tool with nothing left open. */
export type Hints = Required<AnnotationTest>;

/** The hints of a tool that says nothing: the protocol's defaults, of which each is the more dangerous one. */
const WORST: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

const WORDS: Readonly<Record<keyof Hints, readonly [whenTrue: string, whenFalse: string]>> = {
  readOnly: ['read-only', 'not read-only'],
  destructive: ['destructive', 'not destructive'],
  idempotent: ['idempotent', 'not idempotent'],
  openWorld: ['open-world', 'closed-world'],
};

const KEYS = Object.keys(WORDS) as (keyof Hints)[];

/** The hints that a server gives its tool. A value that is neither true nor false counts as the more dangerous one. */
export function claimedHints(tool: Pick<Tool, 'annotations'>): Hints {
  const hints: Readonly<Record<string, unknown>> = effectiveAnnotations(tool);
  const readOnly = hints['readOnlyHint'] === true;
  return {
    readOnly,
    destructive: !readOnly && hints['destructiveHint'] !== false,
    idempotent: hints['idempotentHint'] === true,
    openWorld: hints['openWorldHint'] !== false,
  };
}

/** The hints that are believed: those of a trusted server, and the worst of any other. */
export function believedHints(tool: Pick<Tool, 'annotations'>, isTrusted: boolean): Hints {
  return isTrusted ? claimedHints(tool) : WORST;
}

/**
 * Whether a tool has the hints of a rule. To lower the guard, each must be both believed and claimed; to raise it, either is enough. So a server
 * that is not trusted can only make things stricter for itself.
 */
export function matchesHints(
  test: AnnotationTest,
  { tool, isTrusted }: { readonly tool: Pick<Tool, 'annotations'>; readonly isTrusted: boolean },
  guard: Guard,
): boolean {
  const claimed = claimedHints(tool);
  const believed = believedHints(tool, isTrusted);
  return KEYS.filter((key) => test[key] !== undefined).every((key) => {
    const both = [claimed[key] === test[key], believed[key] === test[key]];
    return guard === 'raises' ? both.includes(true) : !both.includes(false);
  });
}

/** One sentence on the hints of a tool: those that are believed, and those that are not. */
export function describeHints(tool: Pick<Tool, 'annotations'>, isTrusted: boolean): string {
  const claimed = claimedHints(tool);
  const believed = believedHints(tool, isTrusted);
  const words = (hints: Hints, keys: readonly (keyof Hints)[]): string =>
    keys.map((key) => WORDS[key][hints[key] ? 0 : 1]).join(', ');
  const doubted = KEYS.filter((key) => claimed[key] !== believed[key]);
  const doubt =
    doubted.length === 0
      ? ''
      : ` The server says ${words(claimed, doubted)}, which is not believed: it is not trusted.`;
  return `The tool counts as ${words(believed, KEYS)}.${doubt}`;
}
