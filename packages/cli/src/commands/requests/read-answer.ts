import { resolve } from 'node:path';
import { readForm, type Tool } from 'crosspoint/client';
import type { AnswerTo, InboxItem, Json, JsonObject, QuestionKind } from '@crosspoint/host';
import { writtenResult } from '../../answering/ask-kinds.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Io } from '../../output/io.ts';
import { readArguments, readObject } from '../../values/read-arguments.ts';
import { readInput } from '../../values/read-input.ts';

/** The words of a command line that answer a question. */
export interface AnswerWords {
  /** `NAME=TEXT` and the like, for a form. */
  readonly pairs: readonly string[];
  readonly yes: boolean;
  readonly reply: string | undefined;
  readonly answer: string | undefined;
}

/** The answer that the words give; `undefined` where they give none. Rejects where they do not fit the kind of the question. */
export async function readAnswer(
  item: InboxItem,
  words: AnswerWords,
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<AnswerTo<QuestionKind> | JsonObject | undefined> {
  const { pairs, yes, reply, answer } = words;
  const ways = [pairs.length > 0, yes, reply !== undefined, answer !== undefined].filter(Boolean).length;
  if (ways > 1) throw new CliError('usage', 'Answer in one way: fields, --yes, --reply or --answer.');
  if (answer !== undefined) return readObject(await readInput(answer, io), '--answer');
  if (pairs.length > 0) return { action: 'accept', content: formContent(item, pairs, io.cwd) };
  if (reply !== undefined) return replyAnswer(item, reply, io);
  return yes ? agreed(item) : undefined;
}

/** The fields of a form as they were typed, and the defaults of the others. */
export function formContent(item: InboxItem, pairs: readonly string[], cwd: string): JsonObject {
  if (item.kind !== 'form')
    throw new CliError('usage', `A question of kind "${item.kind}" has no fields.`, {
      hint: `crosspoint requests show ${item.id} tells what it is; --yes agrees.`,
    });
  const { requestedSchema: schema } = item.question;
  const fields = readForm(schema);
  const given = readArguments(pairs, schema as object as Tool['inputSchema'], cwd);
  const unknown = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined)
    throw new CliError('usage', `The form has no field ${JSON.stringify(unknown)}, so nothing was answered.`, {
      mistyped: { word: unknown, among: fields.map(({ name }) => name) },
    });
  const defaults = fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default as Json] as const],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

function agreed(item: InboxItem): AnswerTo<QuestionKind> {
  switch (item.kind) {
    case 'form':
      return { action: 'accept', content: formContent(item, [], '') };
    case 'url':
      return { action: 'accept' };
    case 'input':
      if (item.question.default === undefined)
        throw new CliError('usage', 'The value is missing: --reply TEXT, --reply @FILE or --reply -.');
      return { action: 'accept', value: item.question.default };
    case 'sampling':
      if (item.question.model === undefined)
        throw new CliError('usage', 'The words of the model are missing: --reply TEXT, --reply @FILE or --reply -.');
      return { action: 'allow' };
    case 'call':
    case 'result':
    case 'sampled':
    case 'roots':
    case 'login':
    case 'start':
      return { action: 'allow' };
  }
}

async function replyAnswer(
  item: InboxItem,
  text: string,
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<AnswerTo<QuestionKind>> {
  const isPlain = text !== '-' && !text.startsWith('@');
  const words = isPlain
    ? text
    : (await readInput(text === '-' ? '-' : resolve(io.cwd, text.slice(1)), io)).replace(/\r?\n$/, '');
  if (item.kind === 'sampling') return { action: 'allow', result: writtenResult(words) };
  if (item.kind !== 'input')
    throw new CliError(
      'usage',
      `--reply is for words of a model and for values, not for a question of kind "${item.kind}".`,
    );
  if (item.question.isSecret && isPlain)
    throw new CliError('usage', 'The value is a secret, and every user of this machine can read the command line.', {
      hint: '--reply @FILE or --reply - keeps it out.',
    });
  const { type } = item.question;
  const number = Number(words);
  if (type === 'number' && !Number.isFinite(number)) throw new CliError('usage', '--reply must be a number.');
  if (type === 'boolean' && words !== 'true' && words !== 'false')
    throw new CliError('usage', '--reply must be true or false.');
  return { action: 'accept', value: type === 'number' ? number : type === 'boolean' ? words === 'true' : words };
}
