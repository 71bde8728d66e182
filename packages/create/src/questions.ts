import { createInterface } from 'node:readline/promises';
import { CHOICES, defaultFolder, withDefaults, type Decided, type Given } from './choices.ts';
import { CreateError } from './create-error.ts';
import { projectName } from './project-name.ts';

/** A person at a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

type Ask = (question: string) => Promise<string>;

/** Asks for everything that was not given. Throws a `CreateError` when the person leaves. */
export async function askForRest(given: Given, { input, output }: Terminal): Promise<Decided> {
  const lines = createInterface({ input, output });
  // The iterator keeps lines that come before their question: what is typed ahead or pasted is not lost.
  const replies = lines[Symbol.asyncIterator]();
  const ask: Ask = async (question) => {
    lines.setPrompt(question);
    lines.prompt();
    const reply = await replies.next();
    if (reply.done === true) throw new CreateError('The questions were not answered. Nothing was written.');
    return reply.value.trim();
  };
  try {
    const kind = given.kind ?? (await choose(ask, 'Server or client?', CHOICES.kind));
    const language = given.language ?? (await choose(ask, 'TypeScript or JavaScript?', CHOICES.language));
    const transport = given.transport ?? (await choose(ask, 'Over stdio or HTTP?', CHOICES.transport));
    const folder = given.folder ?? (await askForFolder(ask, { fallback: defaultFolder(kind), output }));
    return withDefaults({ folder, kind, language, transport });
  } finally {
    lines.close();
  }
}

/** Takes the word or its beginning, and nothing for the first. */
async function choose<Value extends string>(
  ask: Ask,
  question: string,
  values: readonly [Value, Value],
): Promise<Value> {
  const [first, second] = values;
  const prompt = `${question} (${first}, ${second}) [${first}] `;
  for (;;) {
    const reply = (await ask(prompt)).toLowerCase();
    const [chosen] = values.filter((value) => value.startsWith(reply));
    if (chosen !== undefined) return chosen;
  }
}

async function askForFolder(
  ask: Ask,
  { fallback, output }: { readonly fallback: string; readonly output: NodeJS.WritableStream },
): Promise<string> {
  for (;;) {
    const folder = (await ask(`In which folder? [${fallback}] `)) || fallback;
    try {
      projectName(folder);
      return folder;
    } catch (error) {
      output.write(`${(error as Error).message}\n`);
    }
  }
}
