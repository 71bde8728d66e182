import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const read: Command = defineCommand({
  path: ['resources', 'read'],
  says: 'Read a resource.',
  about:
    'An address is sent as it is, also one that the server does not list. A template that the server lists takes its variables as NAME=VALUE. A text is printed, on a terminal with every unseen character visible; bytes are written with --out, or are base64 in the JSON.',
  target: 'needed',
  arguments: [
    {
      name: 'address',
      says: 'the address of the resource, or a template as the server lists it',
      completes: 'resource',
    },
    {
      name: 'variable',
      says: 'a variable of the template: NAME=VALUE, or NAME=@FILE for the text of a file',
      isOptional: true,
      isMany: true,
      completes: 'variable',
    },
  ],
  options: {
    out: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Write the text or the bytes into this file, as they are; "-" is stdout, if that is no terminal.',
    },
    replace: { type: 'flag', says: 'Replace the file of --out, if there is one.' },
  },
  examples: [
    { line: 'crosspoint resources read ev demo://resource/static/document/architecture.md', says: 'Prints a text.' },
    {
      line: "crosspoint resources read ev 'demo://resource/dynamic/text/{resourceId}' resourceId=1",
      says: 'A template with its variable.',
    },
    {
      line: 'crosspoint resources read ev demo://resource/dynamic/blob/1 --out blob.bin',
      says: 'Writes bytes to a file.',
    },
  ],
  prints: 'ReadResourceResult, as the specification has it; with --out FILE: { file, uri, mimeType?, bytes }',
  async run({ target, words: [address = '', ...pairs], options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    if (options.replace && options.out === undefined) throw new CliError('usage', '--replace belongs to --out FILE.');
    const { prepareFile, writeContent } = await import('./writing.ts');
    const file = options.out === undefined ? undefined : await prepareFile(options.out, options.replace, context.io);
    const result = await context.withServer(target, async (server) => {
      const { readAddress } = await import('./address.ts');
      return readAddress(server, { address, pairs, cwd: context.io.cwd });
    });
    const { output } = context;
    if (file !== undefined) return writeContent(result, file, context);
    if (output.isJson) return output.result(result, () => '');
    const { contentsText } = await import('./resources-text.ts');
    output.result(result, () => contentsText(result, output.colours));
  },
});
