import { readFile } from 'node:fs/promises';
import type { AnswerTo, InboxItem, QuestionKind } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import { errorMessage } from '../errors/as-error.ts';

/** Answers a question in place of the user or by asking them; `undefined` when nobody can. */
export type Answerer = (item: InboxItem, signal: AbortSignal) => Promise<AnswerTo<QuestionKind> | undefined>;

/** Answers by the rules of a file. */
export async function ruledAnswerer(file: string): Promise<Answerer> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `--rules: ${file} cannot be read (${error.code ?? error.message}).`);
  });
  const { parseResponderRules, ScriptedResponder } = await import('@crosspoint/host');
  try {
    const responder = new ScriptedResponder(parseResponderRules(text));
    return async (item) => {
      try {
        return await responder.respond(item);
      } catch (error) {
        throw new CliError('usage', `--rules: ${file}: ${errorMessage(error)}`);
      }
    };
  } catch (error) {
    throw new CliError('usage', `--rules: ${file}: ${errorMessage(error)}`);
  }
}
