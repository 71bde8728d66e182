import { EXIT_CODES } from './exit-codes.ts';
import { CliError } from './cli-error.ts';
import type { Output } from '../output/output.ts';
import { asError } from './as-error.ts';

/** Tells why a command failed: words for people, one line of JSON for programs. Returns the exit code. */
export async function report(error: unknown, output: Output): Promise<number> {
  const fault = error instanceof CliError ? error : await faultOf(error);
  const suggestions = await suggestionsFor(fault);
  const { ending, message, hint, exitCode } = fault;
  if (output.isJson) {
    const facts = {
      ending,
      exitCode,
      message,
      ...(hint !== undefined && { hint }),
      ...(suggestions.length > 0 && { suggestions }),
    };
    output.faultFacts({ error: facts });
    return exitCode;
  }
  const { red, dim } = output.noteColours;
  const similar = suggestions.length > 0 ? `\n${dim('Similar:')} ${suggestions.join(', ')}` : '';
  const remedy = hint === undefined ? '' : `\n${dim('hint:')} ${await visible(hint)}`;
  output.fault(`${red('error:')} ${await visible(message)}${similar}${remedy}`);
  if (ending === 'internal' && error instanceof Error)
    output.note(dim((error.cause as Error | undefined)?.stack ?? error.stack ?? ''));
  return exitCode;
}

/** Names that a server gave may be part of a message. The host is loaded only where one of them may do something to a terminal. */
async function visible(text: string): Promise<string> {
  return /^[\n -~]*$/.test(text) ? text : (await import('@crosspoint/host')).visibleText(text);
}

/** Errors of the library, the host and the bridge have endings of their own. */
async function faultOf(error: unknown): Promise<CliError> {
  const { cliErrorOf } = await import('./cli-error-of.ts');
  const found = cliErrorOf(error);
  return found.ending === 'internal' ? internal(error) : found;
}

function internal(error: unknown): CliError {
  if (error instanceof Error && error.name === 'AbortError') return new CliError('interrupted', 'Interrupted.');
  const { message } = asError(error);
  return new CliError('internal', message, {
    hint: `This is a fault of crosspoint (exit code ${EXIT_CODES.internal}).`,
    cause: error,
  });
}

async function suggestionsFor({ mistyped }: CliError): Promise<readonly string[]> {
  if (mistyped === undefined) return [];
  const { similarNames, visibleLine } = await import('@crosspoint/host');
  return similarNames(mistyped.word, mistyped.among).map(visibleLine);
}
