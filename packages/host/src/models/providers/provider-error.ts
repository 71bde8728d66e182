import { isObject } from '../../values/json.ts';
import { visibleLine } from '../../values/visible-text.ts';
import { ModelError, type ModelErrorKind, type ModelResponse } from '../model.ts';

/** An error of a provider's library, by its shape. */
interface ApiError {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly error?: unknown;
  readonly message: string;
}

interface ErrorOf {
  readonly provider: string;
  /** Taken out of every message. */
  readonly key: string;
  /** The part of the answer that came before it failed; absent when none did. */
  readonly partial?: Pick<ModelResponse, 'content' | 'usage'> | undefined;
}

const LONGEST = 1000;
const LONGEST_WAIT_MS = 3_600_000;

/** Words of providers for a request that is larger than the context. */
const OVERFLOW =
  /context_length_exceeded|context length|context window|context limit|prompt is too long|too many tokens|maximum context|request_too_large/i;
/** Words of providers for a request that they do not answer by their rules. */
const REFUSAL = /content_filter|content_policy|content management policy|safety system|responsibleai/i;
/** A limit that waiting does not help against: the account has no money. */
const NO_MONEY = /insufficient_quota|billing|credit balance|spend.limit/i;

/** The kinds of the words with which a provider names an error inside of a stream, where there is no status. */
const TYPES: Readonly<Record<string, ModelErrorKind>> = {
  overloaded_error: 'overloaded',
  api_error: 'overloaded',
  timeout_error: 'overloaded',
  server_error: 'overloaded',
  rate_limit_error: 'rate-limited',
  rate_limit_exceeded: 'rate-limited',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'auth',
  invalid_request_error: 'bad-request',
  not_found_error: 'bad-request',
  request_too_large: 'context-overflow',
};

/** The error of a request, whatever the library threw. It holds no key, and nothing of the request. */
export function modelErrorOf(thrown: unknown, about: ErrorOf): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const error = apiErrorOf(thrown);
  const { type, code, text } = bodyOf(error);
  const status = typeof error.status === 'number' ? error.status : undefined;
  const said = `${type} ${code} ${text}`;
  const kind = kindOf(status, said, { type, hasBegun: about.partial !== undefined });
  const retryAfterMs = retryAfter(error.headers);
  const where = status === undefined ? '' : ` (${status})`;
  return new ModelError(`${SENTENCES[kind](about.provider)}${where}: ${shown(text, about.key)}`, {
    kind,
    provider: about.provider,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(about.partial !== undefined && { partial: about.partial }),
  });
}

const SENTENCES: Readonly<Record<ModelErrorKind, (provider: string) => string>> = {
  'rate-limited': (provider) => `${provider} takes no more requests for now`,
  overloaded: (provider) => `${provider} cannot answer now`,
  'context-overflow': (provider) => `The request is too large for the model of ${provider}`,
  refused: (provider) => `${provider} refuses the request`,
  auth: (provider) => `${provider} does not accept the key`,
  'bad-request': (provider) => `${provider} does not take the request`,
  network: (provider) => `${provider} was not reached`,
  interrupted: (provider) => `The answer of ${provider} broke off`,
  unavailable: (provider) => `${provider} cannot be used`,
};

function kindOf(
  status: number | undefined,
  said: string,
  { type, hasBegun }: { readonly type: string; readonly hasBegun: boolean },
): ModelErrorKind {
  if (status === undefined) return TYPES[type] ?? (hasBegun ? 'interrupted' : 'network');
  if (status === 401 || status === 402 || status === 403 || NO_MONEY.test(said)) return 'auth';
  if (status === 429) return 'rate-limited';
  if (status === 413) return 'context-overflow';
  if (status === 408) return 'network';
  if (status >= 500) return 'overloaded';
  if (OVERFLOW.test(said)) return 'context-overflow';
  return REFUSAL.test(said) ? 'refused' : 'bad-request';
}

function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof Error) return thrown;
  return { message: typeof thrown === 'string' ? thrown : 'No reason was given.' };
}

/** The words of an error's body. Both APIs have `{ error: { type, message } }`; libraries give the whole of it, or its inner part. */
function bodyOf({ error, message }: ApiError): { readonly type: string; readonly code: string; readonly text: string } {
  const outer = isObject(error) ? error : {};
  const inner = isObject(outer['error']) ? outer['error'] : outer;
  const [type, code, text] = ['type', 'code', 'message'].map((name) => {
    const value = inner[name];
    return typeof value === 'string' ? value : '';
  });
  return { type: type ?? '', code: code ?? '', text: text === undefined || text === '' ? message : text };
}

/** A message of a provider, for people: on one line, cut, without the key. */
function shown(text: string, key: string): string {
  const safe = key.length >= 4 ? text.replaceAll(key, '…') : text;
  return visibleLine(safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe);
}

/** Milliseconds of `retry-after-ms` or `retry-after` (seconds, or a date); an hour at most. */
function retryAfter(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  const given = headers.get('retry-after') ?? '';
  const seconds = given.trim() === '' ? Number.NaN : Number(given);
  const date = Date.parse(given) - Date.now();
  const found = [exact, seconds * 1000, date].find(Number.isFinite);
  return found === undefined ? undefined : Math.min(Math.max(0, Math.ceil(found)), LONGEST_WAIT_MS);
}
