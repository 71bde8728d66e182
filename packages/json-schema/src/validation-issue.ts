export interface ValidationIssue {
  readonly path: readonly (string | number)[];
  /** One readable sentence that names the place itself, so that it can be shown to a language model as it is. */
  readonly message: string;
  readonly keyword?: string;
}

export type ValidationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** `user.tags[0]`; names that would be ambiguous are quoted: `headers["x.y"]`. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (part.length <= 200 && /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part.slice(0, 200))}]`;
  }
  return text;
}

/** Prefixes the message with its place, which is omitted at the root. */
export function describeIssue(path: readonly (string | number)[], message: string): string {
  return path.length === 0 ? message : `\`${formatPath(path)}\`: ${message}`;
}

/** All issues as one line for a person or a model. */
export function describeIssues(issues: readonly ValidationIssue[]): string {
  return issues.map((issue) => issue.message).join('; ');
}
