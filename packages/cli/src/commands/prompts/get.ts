import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { findPrompt } from '../../server/find-offered.ts';
import { requireAll, requireArguments } from '../../values/prompt-arguments.ts';
import { readObject } from '../../values/read-arguments.ts';
import { readInput } from '../../values/read-input.ts';
import { readTexts, textsOf } from '../../values/read-texts.ts';

export const get: Command = defineCommand({
  path: ['prompts', 'get'],
  says: 'Get the messages of a prompt.',
  about:
    'Arguments are texts: NAME=TEXT, sent as it is, or NAME=@FILE for the text of a file. A missing argument that the prompt requires, and one that it does not have, are errors, and nothing is sent.',
  target: 'needed',
  arguments: [
    { name: 'prompt', says: 'the name of the prompt, in full', completes: 'prompt' },
    { name: 'argument', says: 'NAME=TEXT or NAME=@FILE', isOptional: true, isMany: true, completes: 'prompt-argument' },
  ],
  options: {
    args: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'All arguments as one JSON object of texts from a file; "-" reads stdin.',
    },
  },
  examples: [
    { line: 'crosspoint prompts get ev simple-prompt', says: 'A prompt without arguments.' },
    { line: "crosspoint prompts get ev args-prompt city='New York' state=NY", says: 'With arguments.' },
  ],
  prints: 'GetPromptResult, as the specification has it',
  async run({ target, words: [name = '', ...pairs], options }, { withServer, output, io }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    if (options.args !== undefined && pairs.length > 0)
      throw new CliError('usage', 'Arguments are given in words and with --args. Use one of them.');
    const given =
      options.args === undefined
        ? readTexts(pairs, io.cwd)
        : textsOf(readObject(await readInput(options.args, io), '--args'));
    const result = await withServer(target, async (server) => {
      const prompt = await findPrompt(server, name);
      requireArguments(prompt, Object.keys(given));
      requireAll(prompt, given);
      return server.request('prompts.get', { prompt: name, arguments: given });
    });
    if (output.isJson) return output.result(result, () => '');
    const { messagesText } = await import('./prompts-text.ts');
    output.result(result, () => messagesText(result, output.colours));
  },
});
