import { homedir } from 'node:os';
import type { HostOptions } from '@crosspoint/host';
import {
  InputValues,
  resolveEntry,
  TrustBook,
  type InputDefinition,
  type Reach,
  type ServerEntry,
} from '@crosspoint/host/config';
import { MemorySecrets } from '@crosspoint/host/secrets';
import { CliError } from '../errors/cli-error.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import { openWorkplace } from '../place/workplace.ts';
import { findTarget, type FoundTarget, type TargetPlace } from './find-target.ts';

export interface ResolvedTarget {
  readonly entry: ServerEntry;
  /** With final values: it may hold secrets. */
  readonly reach: Reach;
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/** The server that the words mean, with its final values, for commands that look at it without a host. Rejects with the errors of the configuration. */
export async function resolveTarget(
  target: TargetWords,
  given: TargetValues,
  place: TargetPlace,
): Promise<ResolvedTarget> {
  return resolveFound(await findTarget(target, given, place), place);
}

export async function resolveFound(found: FoundTarget, place: TargetPlace): Promise<ResolvedTarget> {
  const workplace = await openWorkplace(place.home, { cwd: place.cwd, env: place.env });
  try {
    const { reach, secrets } = await finalValues(found, place, workplace.hostOptions);
    return { entry: found.entry, reach, secrets: [...secrets, ...(found.secrets ?? [])] };
  } finally {
    await workplace.close();
  }
}

interface FinalValues {
  readonly reach: Reach;
  readonly secrets: readonly string[];
}

async function finalValues(
  { entry, inputs }: FoundTarget,
  { cwd, env }: TargetPlace,
  { store, secrets = new MemorySecrets() }: HostOptions,
): Promise<FinalValues> {
  // A command or an address that was typed holds its final values: a "${…}" in it is meant as it is.
  if (store === undefined || entry.origin.scope === 'program') return { reach: entry.reach, secrets: [] };
  const kept = new InputValues({ store, secrets, asks: { ask: (_, question) => Promise.reject(unasked(question)) } });
  const from = { server: entry.name, reason: 'The command needs it.' };
  if (entry.template !== undefined) {
    const values = await kept.all(entry.template.inputs, from);
    const hidden = entry.template.inputs.filter(({ isSecret }) => isSecret === true).map(({ id }) => values[id]);
    return { reach: entry.template.fill(values), secrets: hidden.filter((value) => typeof value === 'string') };
  }
  return resolveEntry(entry, {
    env,
    folders: { userHome: homedir(), workspaceFolder: cwd },
    trust: new TrustBook(store),
    inputs,
    secret: (name) => secrets.get(name),
    input: (id, { file }) => kept.get(definitionOf(inputs, id, file), from),
  });
}

function definitionOf(inputs: readonly InputDefinition[], id: string, file: string | undefined): InputDefinition {
  const defined = inputs.find((one) => one.id === id && one.origin?.file === file);
  return defined ?? { id, type: 'text', isSecret: true };
}

/** The error for a value that is not known: the host asks for it and keeps the answer, not this code. */
function unasked(question: unknown): CliError {
  const { title = 'a value' } = question as { readonly title?: string };
  return new CliError('unanswered', `The configuration asks for ${JSON.stringify(title)}, which nobody has given.`, {
    hint: 'crosspoint connect SERVER asks for it and keeps it.',
  });
}
