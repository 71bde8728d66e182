import { resolve } from 'node:path';
import {
  AuditLog,
  dryRun,
  parsePolicy,
  PolicyError,
  visibleLine,
  type AuditEntry,
  type ChangedDecision,
  type Policy,
  type PolicyProblem,
} from '@crosspoint/host';
import { placeOf, type Place } from '../../configuration/json-tree.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import { tableText } from '../../output/table.ts';
import { readText } from '../../place/edit-file.ts';
import { withStore } from '../../place/open-store.ts';
import { readTime } from '../../values/read-time.ts';

/** Checks a policy; the one in force when no file is named. */
export async function checkPolicy(word: string | undefined, { io, home, output }: CommandContext): Promise<Ending> {
  const named = word === undefined ? undefined : resolve(io.cwd, word);
  const [file, text] = await firstOf(named === undefined ? [home.managedPolicyFile, home.policyFile] : [named]);
  if (named !== undefined && text === undefined) throw new CliError('usage', `There is no file ${named}.`);
  const isManaged = file === home.managedPolicyFile;
  const { rules, problems } = text === undefined ? { rules: 0, problems: [] } : faultsOf(text);
  const told = { ...(text !== undefined && { file }), isManaged, rules, problems };
  output.result(told, () => {
    if (text === undefined)
      return `There is no policy: you are asked about every call. ${home.policyFile} would be yours.`;
    if (problems.length === 0) return `${file}: ${rules} rules, nothing wrong.`;
    return problems
      .map(({ pointer, message, line, column }) =>
        visibleLine(`${file}:${line ?? 1}:${column ?? 1} ${pointer}: ${message}`),
      )
      .join('\n');
  });
  return problems.length === 0 ? 'ok' : 'mismatch';
}

async function firstOf(files: readonly string[]): Promise<readonly [file: string, text: string | undefined]> {
  for (const file of files) {
    const text = await readText(file);
    if (text !== undefined) return [file, text];
  }
  return ['', undefined];
}

interface Faults {
  readonly rules: number;
  readonly problems: readonly (PolicyProblem & Partial<Place>)[];
}

function faultsOf(text: string): Faults {
  try {
    return { rules: parsePolicy(text).rules?.length ?? 0, problems: [] };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { rules: 0, problems: error.problems.map((problem) => ({ ...problem, ...placed(text, problem.pointer) })) };
  }
}

/** No place in a text that is no JSON. */
function placed(text: string, pointer: string): Partial<Place> {
  try {
    JSON.parse(text);
    return placeOf(text, pointer);
  } catch {
    return {};
  }
}

export interface DryRunOptions {
  readonly since: string | undefined;
  readonly server: string | undefined;
}

/** Decides everything in the log again by the policy of a file, and prints what would be different. */
export async function dryRunPolicy(
  word: string,
  { since, server }: DryRunOptions,
  { io, home, output }: CommandContext,
): Promise<void> {
  const from = since === undefined ? -Infinity : readTime('since', since);
  const policy = await readNamed(resolve(io.cwd, word));
  const { changed, different, same, undecidable } = await withStore(home, (store) => {
    const entries = new AuditLog({ store }).read({ type: 'decision', ...(server !== undefined && { server }) });
    return dryRun(policy, later(entries, from));
  });
  const told = { different, same, undecidable, changed: changed.map(shownChange) };
  output.result(told, () =>
    [
      tableText(
        told.changed.map(({ at, server: where = '', action, name, before, after }) => [
          at,
          visibleLine(where),
          `${action} ${visibleLine(name)}`.slice(0, 80),
          `${before.effect} → ${after.effect}`,
        ]),
      ),
      `${different} different, ${same} the same, ${undecidable} cannot be told, because a value was masked.`,
    ]
      .filter((line) => line !== '')
      .join('\n'),
  );
}

async function readNamed(file: string): Promise<Policy> {
  const text = await readText(file);
  if (text === undefined) throw new CliError('usage', `There is no file ${file}.`);
  return parsePolicy(text);
}

async function* later(entries: AsyncIterable<AuditEntry>, from: number): AsyncGenerator<AuditEntry> {
  for await (const entry of entries) if (Date.parse(entry.at) >= from) yield entry;
}

function shownChange({ entry, before, after }: ChangedDecision) {
  const { action, name } = entry.event.details;
  const { effect, reviewsResult, reasons } = after;
  return {
    sequence: entry.sequence,
    at: entry.at,
    ...(entry.event.server !== undefined && { server: entry.event.server }),
    action: typeof action === 'string' ? action : 'call',
    name: typeof name === 'string' ? name : '',
    before,
    after: { effect, reviewsResult, reasons },
  };
}
