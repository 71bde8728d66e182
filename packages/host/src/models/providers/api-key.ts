import { ModelError } from '../model.ts';

/** A key, or a function that gives it: `() => secrets.get('anthropic')`. It is asked for each request, so that a new key counts at once. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

interface KeyWanted {
  readonly provider: string;
  readonly apiKey: ApiKey | undefined;
  /** The variable of the environment that may hold it; absent where the key of the environment is not for this address. */
  readonly variable: string | undefined;
}

/** Resolves with the key, or `undefined` where there is none. Rejects with `auth` where the function of the program fails: its message may hold the key. */
export async function keyOf({ provider, apiKey, variable }: KeyWanted): Promise<string | undefined> {
  const given = await attemptKey(provider, apiKey);
  const key = given ?? (variable === undefined ? undefined : process.env[variable]);
  return key === undefined || key.trim() === '' ? undefined : key.trim();
}

async function attemptKey(provider: string, apiKey: ApiKey | undefined): Promise<string | undefined> {
  if (typeof apiKey !== 'function') return apiKey;
  try {
    return await apiKey();
  } catch {
    throw new ModelError(`The key for ${provider} could not be read: its function failed.`, { kind: 'auth', provider });
  }
}
