import { resolve } from 'node:path';
import { SourceReader } from '@crosspoint/gateway/program';
import { anthropicProvider, openAiProvider, type ModelProvider } from '@crosspoint/host/models';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { UserSecrets } from '../../place/user-secrets.ts';

export interface ModelWords {
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly 'base-url': string | undefined;
  readonly key: string | undefined;
}

const VARIABLES = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** The provider of the model that the command line and the environment name. Nothing is sent. */
export async function providerOf(
  words: ModelWords,
  context: CommandContext,
): Promise<{ readonly provider: ModelProvider; readonly model: string }> {
  const { env } = context.io;
  const model = words.model ?? set(env['CROSSPOINT_MODEL']);
  if (model === undefined)
    throw new CliError('usage', 'The model is missing: --model NAME, or the variable CROSSPOINT_MODEL.');
  const baseUrl = words['base-url'] ?? set(env['CROSSPOINT_BASE_URL']);
  const kind = kindOf(words.provider, baseUrl, env);
  const apiKey = await keyOf(words.key, context);
  if (baseUrl !== undefined) checkAddress(baseUrl, apiKey !== undefined);
  if (apiKey === undefined && baseUrl === undefined && set(env[VARIABLES[kind]]) === undefined)
    throw new CliError('usage', `There is no key for ${kind}.`, {
      hint: `Set ${VARIABLES[kind]}, or name a place: --key @FILE, --key env:NAME or --key secret:NAME. Nothing was sent.`,
    });
  const options = {
    models: [model],
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  };
  return {
    provider: kind === 'anthropic' ? anthropicProvider({ ...options, caches: true }) : openAiProvider(options),
    model,
  };
}

function kindOf(
  word: string | undefined,
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): 'anthropic' | 'openai' {
  const named = word ?? set(env['CROSSPOINT_PROVIDER']);
  if (named === 'anthropic' || named === 'openai') return named;
  if (named !== undefined) throw new CliError('usage', 'CROSSPOINT_PROVIDER must be anthropic or openai.');
  if (baseUrl !== undefined) return 'openai';
  const keyed = (['anthropic', 'openai'] as const).filter((kind) => set(env[VARIABLES[kind]]) !== undefined);
  const [only] = keyed;
  if (only !== undefined && keyed.length === 1) return only;
  throw new CliError('usage', 'The provider of the model is missing: --provider anthropic or --provider openai.', {
    hint:
      keyed.length === 0
        ? 'Neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set.'
        : 'Both ANTHROPIC_API_KEY and OPENAI_API_KEY are set.',
  });
}

/** The key, by the place that was named. The option itself is never a key. */
async function keyOf(place: string | undefined, { io, home, output }: CommandContext): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const reader = new SourceReader(io.env, (message) => output.note(message));
  if (place.startsWith('@')) return reader.read('--key', { from: 'file', path: resolve(io.cwd, place.slice(1)) });
  if (place.startsWith('env:')) return reader.read('--key', { from: 'environment', name: place.slice('env:'.length) });
  if (!place.startsWith('secret:'))
    throw new CliError('usage', '--key names a place, because every user of this machine can read the command line.', {
      hint: 'Write --key @FILE, --key env:NAME or --key secret:NAME.',
    });
  const name = place.slice('secret:'.length);
  const secret = await new UserSecrets(home, io.env).get(name);
  if (secret === undefined)
    throw new CliError('usage', `There is no secret ${JSON.stringify(name)}.`, {
      hint: `crosspoint secrets set ${name} keeps it.`,
    });
  return secret;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function checkAddress(text: string, hasKey: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new CliError('usage', '--base-url must be an address that begins with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new CliError('usage', '--base-url holds a name or a password: use --key.');
  if (hasKey && url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new CliError('usage', 'The key is not sent to an address without encryption: --base-url must be https://.');
}

const set = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
