import { visibleLine } from '../../values/visible-text.ts';
import { hiddenReach } from '../interpolation/resolve-entry.ts';
import type { ResolvedEntry } from '../interpolation/sources.ts';
import type { HttpReach, Reach, StdioReach } from '../server-entry.ts';
import { addressRisks, commandRisks } from './risks.ts';
import { quoted } from './shell-quote.ts';

/** A server as people see it before it is started. */
export interface TargetDescription {
  /** The whole command or address. Unseen characters are shown as their codes, secrets as their references. */
  readonly target: string;
  /** One sentence for each thing that is risky. */
  readonly warnings: readonly string[];
}

/**
 * Says in full what would be started or connected to, and what is risky about it. Give it a resolved entry where there is one: its references are
 * shown with their values, except secrets.
 *
 * ```ts
 * const { target, warnings } = describeTarget(await resolveEntry(entry, sources));
 * ```
 */
export function describeTarget(target: Reach | ResolvedEntry): TargetDescription {
  const shown = 'shown' in target ? target.shown : hiddenReach(target);
  if (shown.type === 'transport') return { target: 'a transport of the program', warnings: [] };
  const handed = 'shown' in target ? handedSecrets(target) : [];
  return shown.type === 'stdio'
    ? { target: commandLine(shown), warnings: [...commandRisks(shown), ...handed] }
    : { target: addressLine(shown), warnings: [...addressRisks(shown), ...handed] };
}

function commandLine({ command, args = [], env = {}, envFile, cwd }: StdioReach): string {
  const removed = Object.keys(env).filter((name) => env[name] === null);
  const set = Object.entries(env).filter(([, value]) => value !== null);
  const words = [
    ...(removed.length + set.length > 0 ? ['env'] : []),
    ...removed.flatMap((name) => ['-u', quoted(name)]),
    ...set.map(([name, value]) => `${plainName(name)}=${quoted(value ?? '')}`),
    ...[command, ...args].map(quoted),
  ];
  const place = cwd === undefined ? '' : `cd ${quoted(cwd)} && `;
  return `${place}${words.join(' ')}${envFile === undefined ? '' : `  # with the variables of ${quoted(envFile)}`}`;
}

const plainName = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name));

function addressLine({ url, type, headers = {}, oauth }: HttpReach): string {
  const names = Object.entries(headers).map(([name, value]) => `${visibleLine(name)}: ${visibleLine(value)}`);
  return [
    visibleLine(url),
    ...(type === 'sse' ? ['over HTTP+SSE'] : []),
    ...(names.length > 0 ? [`with the headers ${names.join(', ')}`] : []),
    ...(oauth?.clientId === undefined ? [] : [`as the client ${visibleLine(oauth.clientId)}`]),
  ].join(' ');
}

/** A repository decides where the user's secrets go, so each that it gets is named. */
function handedSecrets({ entry, used }: ResolvedEntry): string[] {
  if (entry.origin.scope !== 'project') return [];
  const names = new Set(
    used
      .filter(({ isSecret, kind }) => isSecret && kind !== 'env-file')
      .map(({ kind, name }) => `${kind} ${visibleLine(name)}`),
  );
  return [...names].map((name) => `Is given a secret of yours by a file of the repository: ${name}.`);
}
