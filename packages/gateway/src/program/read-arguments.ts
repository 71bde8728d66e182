import type { AddressTarget, BridgeCommand, LogLevel, ProgramTarget, StoreChoice } from './bridge-command.ts';
import { readFace } from './read-face.ts';
import { isSecretName, quoted, readHeaders, readVariables, secretSource } from './sources.ts';
import { splitArguments, type GivenOptions, type OptionName, type TextOption } from './option-table.ts';
import { UsageError } from './usage-error.ts';

export type Arguments =
  | { readonly action: 'help' }
  | { readonly action: 'version' }
  | { readonly action: 'serve'; readonly command: BridgeCommand };

const FOR_ADDRESSES: readonly OptionName[] = ['header', 'login', 'credentials'];
const FOR_PROGRAMS: readonly OptionName[] = ['env', 'cwd', 'max-children', 'max-children-per-caller', 'wait-seconds'];
const A_DAY = 24 * 60 * 60;

/** Reads a command line. Looks at nothing else: files and variables that it names are read later. Throws a `UsageError`. */
export function readArguments(argv: readonly string[]): Arguments {
  const given = splitArguments(argv);
  const { values } = given;
  if (values.help === true) return { action: 'help' };
  if (values.version === true) return { action: 'version' };
  const parkSeconds = wholeNumber(given, 'park-seconds', { least: 1, most: A_DAY });
  const command: BridgeCommand = {
    target: readTarget(given),
    face: readFace(values),
    stateless: values.stateless === true,
    concurrency: oneOf(given, 'concurrency', ['own', 'wait']),
    questions: oneOf(given, 'questions', ['rounds', 'tasks']),
    parkMs: parkSeconds === undefined ? undefined : parkSeconds * 1000,
    maxParked: wholeNumber(given, 'max-parked', { least: 0, most: 1_000_000 }),
    maxRounds: wholeNumber(given, 'max-rounds', { least: 1, most: 1000 }),
    store: readStore(values.store),
    keyFile: values['key-file'],
    record: values.record,
    log: oneOf<LogLevel>(given, 'log', ['quiet', 'normal', 'verbose']) ?? 'normal',
  };
  return { action: 'serve', command };
}

function readTarget({ values, positionals, command, ...rest }: GivenOptions): AddressTarget | ProgramTarget {
  const [address, ...more] = positionals;
  if (command !== undefined && address !== undefined)
    throw new UsageError(
      `${quoted(address)} and a command after "--" are two servers. Give one: an address, or a command after "--".`,
    );
  if (command !== undefined) {
    refuse(values, FOR_ADDRESSES, 'is for a server at an address, and not for a command');
    return readProgram({ values, positionals, command, ...rest }, command);
  }
  if (address === undefined)
    throw new UsageError(
      'The server is missing. Give its address (https://example.com/mcp), or its command after "--" (-- node server.mjs).',
    );
  if (more.length > 0 || !/^(?:@|[a-z][a-z0-9+.-]*:)/i.test(address))
    throw new UsageError(
      `${quoted(more.length > 0 ? `${address} …` : address)} is no address. To run a program, write "--" before it, after all options of the bridge.`,
    );
  refuse(values, FOR_PROGRAMS, 'is for a server that is a command, and not for an address');
  return readAddress(values, address);
}

function readAddress(values: GivenOptions['values'], address: string): AddressTarget {
  if (values.credentials !== undefined && values.login !== true)
    throw new UsageError('--credentials says where a login is kept. Add --login, or leave it out.');
  const url = address.startsWith('@') ? secretSource('The address', address) : checkedAddress(address);
  const headers = readHeaders(values.header ?? []);
  if (values.login === true && headers['authorization'] !== undefined)
    throw new UsageError('--login and --header Authorization are two ways to log in. Give one of them.');
  return { kind: 'address', url, headers, login: values.login === true, credentials: values.credentials };
}

function checkedAddress(address: string): AddressTarget['url'] {
  const fault = addressFault(address);
  if (fault !== undefined) throw new UsageError(fault);
  const url = new URL(address);
  const secret = [...url.searchParams.keys()].find(isSecretName);
  if (url.username !== '' || url.password !== '' || secret !== undefined)
    throw new UsageError(
      `The address holds ${secret === undefined ? 'a name or a password' : `"${secret}", which is probably a secret`}. The command line can be read by every user of this machine: put the address into a file and write @FILE in its place${secret === undefined ? ', or use --header Authorization=@FILE' : ''}.`,
    );
  return { from: 'arguments', value: address };
}

/** Why a text is no address of a server; `undefined` for one that is. */
export function addressFault(address: string): string | undefined {
  if (!URL.canParse(address)) return 'The address of the server is no URL, such as https://example.com/mcp.';
  const { protocol } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `The address of the server begins with ${protocol}, and must begin with http: or https:.`;
}

function readProgram(given: GivenOptions, words: readonly string[]): ProgramTarget {
  const [command, ...args] = words;
  if (command === undefined || command === '')
    throw new UsageError('The command after "--" is missing, such as -- node server.mjs.');
  const waitSeconds = wholeNumber(given, 'wait-seconds', { least: 0, most: 3600 });
  return {
    kind: 'program',
    command,
    args,
    env: readVariables(given.values.env ?? []),
    cwd: given.values.cwd,
    maxChildren: wholeNumber(given, 'max-children', { least: 1, most: 10_000 }),
    maxChildrenPerCaller: wholeNumber(given, 'max-children-per-caller', { least: 1, most: 10_000 }),
    waitMs: waitSeconds === undefined ? undefined : waitSeconds * 1000,
  };
}

function readStore(text: string | undefined): StoreChoice {
  if (text === undefined || text === 'memory') return { kind: 'memory' };
  const [kind, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  if (kind === 'sqlite' && rest !== '') return { kind: 'sqlite', path: rest };
  // `redis:` stands before an address, which begins with it again; both ways of writing it are read.
  if (kind === 'redis' || kind === 'rediss')
    return { kind: 'redis', url: redisSource(rest.startsWith('//') ? text : rest) };
  throw new UsageError(
    '--store is memory, sqlite:FILE, redis:redis://HOST:PORT, redis:@FILE or redis:env:NAME (with a password, the address comes from a file or a variable).',
  );
}

function redisSource(text: string): Extract<StoreChoice, { kind: 'redis' }>['url'] {
  if (text.startsWith('@') || text.startsWith('env:')) return secretSource('--store redis', text);
  if (!URL.canParse(text) || !/^rediss?:\/\/[^/]/.test(text))
    throw new UsageError('--store redis: needs an address such as redis:redis://127.0.0.1:6379.');
  if (new URL(text).password !== '') return secretSource('--store redis', text);
  return { from: 'arguments', value: text };
}

function refuse(values: GivenOptions['values'], names: readonly OptionName[], why: string): void {
  const found = names.find((name) => values[name] !== undefined);
  if (found !== undefined) throw new UsageError(`--${found} ${why}.`);
}

function wholeNumber(
  { values }: GivenOptions,
  name: TextOption,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} ${quoted(text)}: a whole number from ${least} to ${most} is expected.`);
}

function oneOf<Value extends string>(
  { values }: GivenOptions,
  name: TextOption,
  allowed: readonly Value[],
): Value | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} ${quoted(text)}: ${allowed.join(', ')} are possible.`);
}
