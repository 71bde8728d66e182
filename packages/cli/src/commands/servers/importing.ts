import { resolve } from 'node:path';
import { visibleLine } from '@crosspoint/host';
import { describeTarget, problemLine } from '@crosspoint/host/config';
import { confirm, isTerminal } from '../../answering/confirm.ts';
import { foundElsewhere, type FoundServer, type FoundServers } from '../../configuration/other-hosts.ts';
import { withKeptSecrets } from '../../configuration/kept-secrets.ts';
import { readSource } from '../../configuration/read-source.ts';
import { readServers, type ServersText } from '../../configuration/servers-file.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { lostLine } from './converting.ts';
import { editOwn, forgetServer, keepSecrets } from './keep.ts';

export interface ImportOptions {
  readonly from: string | undefined;
  readonly format: string | undefined;
  readonly replace: boolean;
  readonly yes: boolean;
}

interface Skipped {
  readonly name: string;
  readonly from: string;
  readonly why: string;
}

/** The servers that would be taken over. */
interface Plan {
  readonly found: FoundServers;
  readonly taken: readonly FoundServer[];
  readonly skipped: readonly Skipped[];
}

/** Shows the servers of other hosts, and takes them over after a yes. */
export async function importInto(
  names: readonly string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<void> {
  const { io, home, output, signal } = context;
  const named =
    options.from === undefined ? undefined : await readSource(resolve(io.cwd, options.from), options.format);
  if (named === undefined && options.format !== undefined)
    throw new CliError('usage', '--format is for the file that --from names.');
  const found = await foundElsewhere({ folder: io.cwd, env: io.env, except: home.configFile }, named);
  const plan = planOf(found, names, options.replace, await readServers(home));
  const kept = plan.taken.map(({ entry }) => withKeptSecrets(entry));
  const secrets = kept.flatMap((one) => one.secrets);
  const told = (isDone: boolean): object => ({
    added: plan.taken.map(shown),
    skipped: plan.skipped,
    lost: found.lost.filter(
      ({ server }) => server === undefined || plan.taken.some(({ entry }) => entry.name === server),
    ),
    problems: found.problems,
    secrets: secrets.map(({ name }) => name),
    file: home.configFile,
    isDone,
  });
  if (plan.taken.length === 0)
    return output.result(told(false), () => [...planLines(plan), 'Nothing to take over.'].join('\n'));
  if (!options.yes) {
    if (!isTerminal(io)) output.result(told(false), () => planLines(plan).join('\n'));
    else output.note(planLines(plan).join('\n'));
    await confirm(`Take over ${plan.taken.length === 1 ? 'this server' : `these ${plan.taken.length} servers`}?`, {
      io,
      signal,
      hint: '--yes takes them.',
    });
  }
  await keepSecrets(secrets, context);
  await editOwn(context, (servers) => {
    for (const { entry } of kept) {
      if (!options.replace && servers.has(entry.name))
        throw new CliError('usage', `There is a server ${JSON.stringify(entry.name)} by now.`);
      servers.set(entry);
    }
    servers.addInputs(
      found.inputs.filter(({ id }) =>
        kept.some(({ entry }) => JSON.stringify(entry.reach).includes(`\${input:${id}}`)),
      ),
    );
  });
  for (const { entry } of kept) await forgetServer(entry.name, context, false);
  output.result(told(true), () =>
    [...(options.yes ? planLines(plan) : []), `Written to ${home.configFile}.`].join('\n'),
  );
}

function planOf(found: FoundServers, names: readonly string[], replace: boolean, own: ServersText): Plan {
  const known = found.servers.map(({ entry }) => entry.name);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new CliError('usage', `No other host has a server ${JSON.stringify(missing)}.`, {
      hint: `Looked in: ${found.files.length === 0 ? 'no file was found' : found.files.join(', ')}`,
      mistyped: { word: missing, among: known },
    });
  const wanted = found.servers.filter(({ entry }) => names.length === 0 || names.includes(entry.name));
  const taken: FoundServer[] = [];
  const skipped: Skipped[] = [];
  for (const one of wanted) {
    const { name } = one.entry;
    if (taken.some(({ entry }) => entry.name === name))
      skipped.push({ name, from: one.file, why: 'Another file that comes before has a server of this name.' });
    else if (own.has(name) && !replace)
      skipped.push({ name, from: one.file, why: 'You have a server of this name. --replace takes this one.' });
    else taken.push(one);
  }
  return { found, taken, skipped };
}

function shown({ entry, file }: FoundServer): object {
  return { name: entry.name, ...describeTarget(entry.reach), from: file };
}

function planLines({ found, taken, skipped }: Plan): string[] {
  return [
    ...found.problems.map(problemLine),
    ...taken.flatMap(({ entry, file }) => {
      const { target, warnings } = describeTarget(entry.reach);
      return [
        `${visibleLine(entry.name)} (${visibleLine(file)})`,
        `    ${target}`,
        ...warnings.map((words) => `    ! ${words}`),
      ];
    }),
    ...skipped.map(({ name, from, why }) => visibleLine(`${name} (${from}) is not taken: ${why}`)),
    ...found.lost
      .filter(({ server }) => server === undefined || taken.some(({ entry }) => entry.name === server))
      .map(lostLine),
  ];
}
