import { visibleText } from '@crosspoint/host';
import { CliError } from './cli-error.ts';
import type { Ending } from './exit-codes.ts';
import { asError } from './as-error.ts';

/** The ending of an error that the host or a client threw, found by what the error is. */
export function cliErrorOf(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { message } = asError(error);
  const found = causesOf(error)
    .map(endingOf)
    .find((ending) => ending !== undefined);
  return new CliError(found?.ending ?? 'internal', visibleText(message), { hint: found?.hint, cause: error });
}

interface Found {
  readonly ending: Ending;
  readonly hint?: string;
}

/** Errors that the library and the host throw, by name. They are told by name because a class would load its package. */
const BY_NAME: Readonly<Record<string, Found>> = {
  AnswerError: {
    ending: 'usage',
    hint: 'The question goes on waiting: crosspoint requests show ID tells what it takes.',
  },
  AbortError: { ending: 'interrupted' },
  AuthFlowError: { ending: 'login', hint: 'crosspoint auth login SERVER logs in.' },
  BundleError: { ending: 'usage' },
  CallDeniedError: { ending: 'denied', hint: 'crosspoint policy explain SERVER TOOL says which rule decided.' },
  ConfigResolveError: { ending: 'usage' },
  InputError: { ending: 'usage' },
  LoginRefusedError: { ending: 'login' },
  ProgramError: { ending: 'usage' },
  PolicyError: { ending: 'usage' },
  ResultWithheldError: { ending: 'denied' },
  SecretError: { ending: 'usage' },
  TimeoutError: { ending: 'timeout' },
  UnauthorizedError: { ending: 'login', hint: 'crosspoint auth login SERVER logs in.' },
  UnknownToolError: { ending: 'usage', hint: 'crosspoint tools ls SERVER lists the tools.' },
  UntrustedConfigError: {
    ending: 'denied',
    hint: 'crosspoint trust grant FILE trusts it, after it has shown what it would start.',
  },
  UsageError: { ending: 'usage' },
};

function endingOf(error: Error): Found | undefined {
  if (Object.hasOwn(BY_NAME, error.name)) return BY_NAME[error.name];
  if (error.name === 'ServerUnavailableError')
    return unavailable((error as { state?: { status?: string } }).state?.status);
  const { code } = error as { code?: unknown };
  if (typeof code === 'number') return { ending: 'failed' };
  return undefined;
}

function unavailable(status: string | undefined): Found | undefined {
  if (status === 'needs-login') return { ending: 'login', hint: 'crosspoint auth login SERVER logs in.' };
  if (status === 'pending-approval') return { ending: 'denied' };
  if (status === 'disabled') return { ending: 'usage', hint: 'crosspoint servers enable NAME switches it on.' };
  return { ending: 'unreachable', hint: 'crosspoint doctor SERVER looks for the cause, step by step.' };
}

/** An error and its causes, the innermost last. A state "cannot be reached" is told by its cause only where that says more. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
  return chain;
}
