import { AuditLog, visibleLine, visibleText } from '@crosspoint/host';
import {
  describeEntry,
  describeTarget,
  problemLine,
  TrustBook,
  type ConfigFile,
  type EntryChange,
  type ServerEntry,
} from '@crosspoint/host/config';
import { confirm } from '../../answering/confirm.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { withStore } from '../../place/open-store.ts';
import { readRepositoryFile } from './read-repository-file.ts';

export interface GrantOptions {
  readonly yes: boolean;
  readonly digest: string | undefined;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Shows everything that a file would start, and trusts its content after a yes. */
export async function grantTrust(file: string, { yes, digest }: GrantOptions, context: CommandContext): Promise<void> {
  const { home, io, output, signal } = context;
  if (digest !== undefined && !DIGEST.test(digest))
    throw new CliError('usage', '--digest must be sha256: and 64 hexadecimal digits, as crosspoint trust ls shows it.');
  const read = await readRepositoryFile(file);
  if (read === undefined) throw new CliError('usage', `${file} is missing, or no configuration of servers.`);
  if (digest !== undefined && digest !== read.digest)
    throw new CliError('mismatch', `${file} has another content: its digest is ${read.digest}. It was not trusted.`);
  await withStore(home, async (store) => {
    const trust = new TrustBook(store);
    const state = await trust.stateOf(read);
    const changes = state === 'changed' ? await trust.changesOf(file, read.entries) : [];
    const told = (isTrusted: boolean): object => ({
      file,
      digest: read.digest,
      state,
      servers: read.entries.map((entry) => {
        const { target, warnings } = describeTarget(entry.reach);
        return { name: entry.name, target, warnings: [...warnings, ...given(entry)] };
      }),
      changes,
      problems: read.problems,
      isTrusted,
    });
    output.note(grantLines(read, changes).join('\n'));
    if (!yes && digest === undefined && state !== 'trusted')
      await confirm(`Trust ${visibleLine(file)} with this content?`, {
        io,
        signal,
        hint: `--yes trusts it; --digest ${read.digest} trusts this content.`,
      });
    await trust.grant(read);
    const audit = new AuditLog({ store });
    audit.write({ type: 'trust', details: { action: 'grant', file, digest: read.digest } });
    await audit.close();
    output.result(told(true), () => `${visibleLine(file)} is trusted.`);
  });
}

/** Whether the file was trusted. */
export async function revokeTrust(file: string, { home }: CommandContext): Promise<boolean> {
  return withStore(home, async (store) => {
    const wasTrusted = await new TrustBook(store).revoke(file);
    const audit = new AuditLog({ store });
    if (wasTrusted) audit.write({ type: 'trust', details: { action: 'revoke', file } });
    await audit.close();
    return wasTrusted;
  });
}

function grantLines({ file, digest, entries, problems }: ConfigFile, changes: readonly EntryChange[]): string[] {
  return [
    `${visibleLine(file)} (${digest})`,
    ...problems.map(problemLine),
    ...entries.flatMap((entry) => {
      const { target, warnings } = describeTarget(entry.reach);
      return [
        `  ${visibleLine(entry.name)}`,
        `    ${target}`,
        ...[...warnings, ...given(entry)].map((words) => `    ! ${words}`),
      ];
    }),
    ...(changes.length === 0 ? [] : ['Since you trusted it:']),
    ...changes.flatMap(({ server, path, before, after }) => [
      `  ${visibleLine(`${server}${path}`)}`,
      ...valueLines('-', before),
      ...valueLines('+', after),
    ]),
  ];
}

/** A repository decides where values of the user go, so that each is named before the file is trusted. */
function given(entry: ServerEntry): string[] {
  const references = new Set(describeEntry(entry).fields.flatMap((field) => field.references));
  return references.size === 0 ? [] : [`Is given values of yours: ${[...references].map(visibleLine).join(', ')}.`];
}

function valueLines(sign: string, value: unknown): string[] {
  return value === undefined
    ? []
    : [`    ${sign} ${visibleText(typeof value === 'string' ? value : JSON.stringify(value))}`];
}
