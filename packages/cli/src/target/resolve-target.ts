import { homedir } from 'node:os';
import { resolveEntry, TrustBook, type Reach, type ServerEntry } from '@crosspoint/host/config';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import { openWorkplace } from '../place/workplace.ts';
import { findTarget, type FoundTarget, type TargetPlace } from './find-target.ts';

export interface ResolvedTarget {
  readonly entry: ServerEntry;
  /** With final values: it may hold secrets. */
  readonly reach: Reach;
}

/** The server that the words mean, with its final values, for commands that look at it without a host. Rejects with the errors of the configuration. */
export async function resolveTarget(
  target: TargetWords,
  given: TargetValues,
  place: TargetPlace,
): Promise<ResolvedTarget> {
  return resolveFound(await findTarget(target, given, place), place);
}

export async function resolveFound(
  { entry, inputs }: FoundTarget,
  { home, cwd, env }: TargetPlace,
): Promise<ResolvedTarget> {
  const workplace = await openWorkplace(home, { cwd, env });
  try {
    const { store, secrets } = workplace.hostOptions;
    const { reach } = await resolveEntry(entry, {
      env,
      folders: { userHome: homedir(), workspaceFolder: cwd },
      inputs,
      ...(secrets !== undefined && { secret: (name: string) => secrets.get(name) }),
      ...(store !== undefined && { trust: new TrustBook(store) }),
    });
    return { entry, reach };
  } finally {
    await workplace.close();
  }
}
