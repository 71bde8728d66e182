import {
  secretSource,
  type BridgeCommand,
  type LogLevel,
  type Source,
  type StoreChoice,
} from '@crosspoint/gateway/program';
import { CliError } from '../../errors/cli-error.ts';
import type { BridgeValues } from './bridge-options.ts';
import { readFace } from './read-face.ts';

/** The bridge that options describe, but for its server. Files and variables that they name are read later. Throws a `CliError`. */
export function readBridge(values: BridgeValues): Omit<BridgeCommand, 'target' | 'record'> {
  const { 'park-seconds': parkSeconds } = values;
  if (values.credentials !== undefined && !values.login)
    throw new CliError('usage', '--credentials says where a login is kept. Add --login, or leave it out.');
  return {
    face: readFace(values),
    stateless: values.stateless,
    concurrency: values.concurrency as BridgeCommand['concurrency'],
    questions: values.questions as BridgeCommand['questions'],
    parkMs: parkSeconds === undefined ? undefined : parkSeconds * 1000,
    maxParked: values['max-parked'],
    maxRounds: values['max-rounds'],
    store: readStore(values.store),
    keyFile: values['key-file'],
    log: values.log as LogLevel | undefined,
  };
}

function readStore(text: string | undefined): StoreChoice {
  if (text === undefined || text === 'memory') return { kind: 'memory' };
  const [kind, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  if (kind === 'sqlite' && rest !== '') return { kind: 'sqlite', path: rest };
  // `redis:` stands before an address, which begins with it again; both ways of writing it are read.
  if (kind === 'redis' || kind === 'rediss')
    return { kind: 'redis', url: redisSource(rest.startsWith('//') ? text : rest) };
  throw new CliError(
    'usage',
    '--store is memory, sqlite:FILE, redis:redis://HOST:PORT, redis:@FILE or redis:env:NAME (with a password, the address comes from a file or a variable).',
  );
}

function redisSource(text: string): Source {
  if (text.startsWith('@') || text.startsWith('env:')) return secretSource('--store redis', text);
  if (!URL.canParse(text) || !/^rediss?:\/\/[^/]/.test(text))
    throw new CliError('usage', '--store redis: needs an address such as redis:redis://127.0.0.1:6379.');
  if (new URL(text).password !== '') return secretSource('--store redis', text);
  return { from: 'arguments', value: text };
}
