import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { findPrompt } from '../../server/find-offered.ts';
import type { OpenServer } from '../../server/open-server.ts';
import { requireCapability } from '../../server/required-capability.ts';
import { requireArguments } from '../../values/prompt-arguments.ts';
import { readTexts } from '../../values/read-texts.ts';

export const complete: Command = defineCommand({
  path: ['complete'],
  says: 'Ask a server for values of an argument of a prompt, or of a variable of a template.',
  about:
    'The first argument is the one that is completed, with the text typed so far, which may be empty. Those after it are values that were chosen for others, which the server may take into account. A name that the prompt or template does not have is an error, and nothing is sent. crosspoint completion is about the words of a shell.',
  target: 'needed',
  arguments: [
    { name: 'kind', says: 'prompt or template', words: ['prompt', 'template'] },
    { name: 'name', says: 'the name of the prompt, or the template as the server lists it', completes: 'template' },
    { name: 'argument', says: 'the argument or variable to complete: NAME=PREFIX', completes: 'variable' },
    { name: 'chosen', says: 'another one: NAME=VALUE', isOptional: true, isMany: true, completes: 'variable' },
  ],
  examples: [
    { line: 'crosspoint complete ev prompt completable-prompt department=E', says: 'Values that begin with "E".' },
    {
      line: 'crosspoint complete ev prompt completable-prompt name= department=Sales',
      says: 'All names, for a department that was chosen.',
    },
    {
      line: "crosspoint complete ev template 'demo://resource/dynamic/text/{resourceId}' resourceId=1",
      says: 'A variable of a template.',
    },
  ],
  prints: 'CompleteResult, as the specification has it: { completion: { values, total?, hasMore? } }',
  async run({ target, words: [kind, name = '', first = '', ...others] }, { withServer, output, io }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const [[argument, value] = ['', '']] = Object.entries(readTexts([first], io.cwd));
    const chosen = readTexts(others, io.cwd);
    if (Object.hasOwn(chosen, argument))
      throw new CliError('usage', `The argument ${JSON.stringify(argument)} was given twice.`);
    const result = await withServer(target, async (server) => {
      const names = [argument, ...Object.keys(chosen)];
      if (kind === 'prompt') requireArguments(await findPrompt(server, name), names);
      else await requireTemplate(server, name, names);
      const of = kind === 'prompt' ? { prompt: name } : { template: name };
      return server.request('complete', { of, argument: { name: argument, value }, chosen });
    });
    const { completion } = result;
    const { visibleLine } = output.isJson ? { visibleLine: String } : await import('@crosspoint/host');
    if (completion.hasMore === true && !output.isJson) output.note('There are more values than these.');
    output.result(result, () => completion.values.map(visibleLine).join('\n'));
  },
});

async function requireTemplate(server: OpenServer, template: string, names: readonly string[]): Promise<void> {
  const { resourceTemplates } = await server.request('resources.templates', {});
  if (resourceTemplates.length === 0) await requireCapability(server, 'resources');
  const listed = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  if (!listed.includes(template))
    throw new CliError('usage', `The server "${server.name}" lists no template ${JSON.stringify(template)}.`, {
      hint: 'Nothing was sent. crosspoint resources templates SERVER lists its templates.',
      mistyped: { word: template, among: listed },
    });
  const { requireVariables, variablesOf } = await import('../../values/uri-template.ts');
  requireVariables(template, names, variablesOf(template).all);
}
