import type { AddressTarget, BridgeCommand, ProgramTarget } from '@crosspoint/gateway/program';
import { decide, type Policy } from '@crosspoint/host';
import { describeTarget, type Reach, type ServerEntry } from '@crosspoint/host/config';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { loginsFile } from '../../place/logins.ts';
import { readPolicy } from '../../place/read-policy.ts';
import { findTarget } from '../../target/find-target.ts';
import { resolveFound } from '../../target/resolve-target.ts';
import { givenAmong, type BridgeValues } from './bridge-options.ts';

/** The server behind a bridge, with its final values. */
export interface BridgeServer extends Pick<BridgeCommand, 'target' | 'revisions'> {
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/**
 * Finds the server, and asks the policy whether it may be started. One that was configured is opened once by the host, which holds it against trust,
 * approval and inputs, and asks the user where that is needed; what it learned is kept, and used here.
 */
export async function bridgeServer(
  words: TargetWords,
  values: BridgeValues,
  context: CommandContext,
): Promise<BridgeServer> {
  const { home, io, reaching, output } = context;
  const place = { home, cwd: io.cwd, env: io.env, warn: (message: string): void => output.note(message) };
  const found = await findTarget(words, reaching, place);
  const { entry } = found;
  refuseStray(values, entry.reach);
  if (entry.origin.scope !== 'program') await context.withServer(words, (server) => server.request('show', {}));
  refuseDenied(entry, (await readPolicy(context.home)).policy);
  const { reach, secrets } = await resolveFound(found, place);
  const login =
    values.credentials === undefined
      ? { credentials: loginsFile(home), account: entry.name }
      : { credentials: values.credentials, account: undefined };
  const target = targetOf(reach, values, { ...login, noBrowser: context.globals['no-browser'] });
  return { target, revisions: entry.revisions, secrets };
}

/** Options for the other kind of server. */
function refuseStray(values: BridgeValues, { type }: Reach): void {
  const [stray] =
    type === 'stdio'
      ? givenAmong(values, ['login', 'credentials'])
      : givenAmong(values, ['max-children', 'max-children-per-caller', 'wait-seconds']);
  if (stray === undefined) return;
  const why = type === 'stdio' ? 'at an address, and not for a command' : 'that is a command, and not for an address';
  throw new CliError('usage', `--${stray} is for a server ${why}.`);
}

/** The user has typed it, so that a rule which asks is content; one that denies is not. */
function refuseDenied({ name, reach, origin, isTrusted }: ServerEntry, policy: Policy): void {
  const others = typeof policy.default === 'object' ? policy.default : {};
  const typed = origin.scope === 'program' ? { ...policy, default: { ...others, start: 'allow' as const } } : policy;
  const { target } = describeTarget(reach);
  const subject = {
    action: 'start' as const,
    server: name,
    name: target,
    arguments: {},
    isTrusted: isTrusted === true,
    influencedBy: [],
  };
  if (decide(typed, subject).effect === 'deny')
    throw new CliError('denied', `The policy denies the start of ${JSON.stringify(name)}.`, {
      hint: 'crosspoint policy explain says which rule decided.',
    });
}

function targetOf(
  reach: Reach,
  values: BridgeValues,
  kept: Pick<AddressTarget, 'account' | 'credentials' | 'noBrowser'>,
): AddressTarget | ProgramTarget {
  if (reach.type === 'transport') throw new CliError('internal', 'A transport of a program cannot be bridged.');
  if (reach.type === 'stdio') {
    const { command, args, env = {}, cwd } = reach;
    const { 'max-children': maxChildren, 'max-children-per-caller': maxChildrenPerCaller } = values;
    const { 'wait-seconds': wait } = values;
    const waitMs = wait === undefined ? undefined : wait * 1000;
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? undefined]));
    return { kind: 'program', command, args, env: variables, cwd, maxChildren, maxChildrenPerCaller, waitMs };
  }
  const { url, headers = {} } = reach;
  const { login } = values;
  if (login && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    throw new CliError('usage', '--login and the header Authorization are two ways to log in. Give one of them.');
  return { kind: 'address', url, headers, isSse: reach.type === 'sse', login, ...kept };
}
