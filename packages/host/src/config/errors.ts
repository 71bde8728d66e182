import { visibleLine } from '../values/visible-text.ts';
import { problemLine, shortened, type Problem } from './problem.ts';
import type { EntryChange, TrustState } from './trust/trust-reader.ts';

/** An entry whose references have no values, or whose values cannot be used. Nothing was started. */
export class ConfigResolveError extends Error {
  override readonly name = 'ConfigResolveError';
  readonly server: string;
  readonly problems: readonly Problem[];

  constructor(server: string, problems: readonly Problem[]) {
    super(`The server "${server}" cannot be started:\n${problems.map(problemLine).join('\n')}`);
    this.server = server;
    this.problems = problems;
  }
}

/** An entry of a repository's file that the user has not trusted, or not with this content. Nothing was expanded. */
export class UntrustedConfigError extends Error {
  override readonly name = 'UntrustedConfigError';
  readonly server: string;
  readonly file: string;
  readonly state: Exclude<TrustState, 'trusted'>;
  /** The differences to what was trusted, for a file that changed. */
  readonly changes: readonly EntryChange[];

  constructor(server: string, file: string, state: Exclude<TrustState, 'trusted'>, changes: readonly EntryChange[]) {
    super(
      state === 'changed'
        ? `The server "${server}" is not started: ${file} has changed since it was trusted (${changesText(changes)}). Look at it and trust it again.`
        : `The server "${server}" is not started: ${file} belongs to a repository and was not trusted yet. Look at it and trust it.`,
    );
    this.server = server;
    this.file = file;
    this.state = state;
    this.changes = changes;
  }
}

function changesText(changes: readonly EntryChange[]): string {
  const places = changes.slice(0, 10).map(({ server, path }) => visibleLine(shortened(`${server}${path}`)));
  const more = changes.length > places.length ? `, and ${changes.length - places.length} more` : '';
  return places.length === 0 ? 'in no server' : `${places.join(', ')}${more}`;
}
