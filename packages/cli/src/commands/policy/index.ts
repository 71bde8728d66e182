import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { readArguments } from '../../values/read-arguments.ts';

const check: Command = defineCommand({
  path: ['policy', 'check'],
  says: 'Check a policy, and say every fault.',
  about:
    'Without a file, the policy in force is checked: that of the machine, or else your own. Exit code 7 when there is a fault.',
  arguments: [{ name: 'file', says: 'a policy', isOptional: true, completes: 'file' }],
  examples: [{ line: 'crosspoint policy check policy.json', says: 'In a job of CI.' }],
  prints: '{ file?, isManaged, rules, problems: [{ pointer, message, line?, column? }] }',
  endings: ['mismatch'],
  async run({ words: [file] }, context) {
    const { checkPolicy } = await import('./checking.ts');
    return checkPolicy(file, context);
  },
});

const explain: Command = defineCommand({
  path: ['policy', 'explain'],
  says: 'Say why a call would be allowed, asked about or denied.',
  about:
    'Nothing is called. Every reason is listed in the order in which things are looked at: where the server comes from, its definition, the rules, and what was approved. A call that you type yourself is your yes to a question.',
  target: 'needed',
  arguments: [
    { name: 'tool', says: 'the name of the tool, in full', completes: 'tool' },
    {
      name: 'argument',
      says: 'NAME=TEXT, NAME=@FILE or NAME:=JSON',
      isOptional: true,
      isMany: true,
      completes: 'argument',
    },
  ],
  examples: [{ line: 'crosspoint policy explain files write_file path=/etc/hosts', says: 'With these arguments.' }],
  prints: '{ effect: "allow" | "ask" | "deny", decision, reasons: [{ step, text, effect?, rule? }] }',
  async run({ target, words: [tool = '', ...pairs] }, { withServer, output, io }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const explanation = await withServer(target, async (server) => {
      const { tools } = await server.request('tools.list', {});
      const found = tools.find(({ name }) => name === tool);
      if (found === undefined)
        throw new CliError('usage', `The server "${server.name}" has no tool ${JSON.stringify(tool)}.`, {
          mistyped: { word: tool, among: tools.map(({ name }) => name) },
        });
      return server.request('policy.explain', { tool, arguments: readArguments(pairs, found.inputSchema, io.cwd) });
    });
    const { explanationText, visibleText } = await import('@crosspoint/host');
    output.result(explanation, () => visibleText(explanationText(explanation)));
  },
});

const dryRun: Command = defineCommand({
  path: ['policy', 'dry-run'],
  says: 'Hold the audit log against another policy.',
  about:
    'Everything that was decided is decided again by the policy of the file. Nothing is called, and nobody is asked.',
  arguments: [{ name: 'file', says: 'the policy to try', completes: 'file' }],
  options: {
    since: { type: 'text', value: 'TIME', says: 'Only decisions since then: 2h, 7d, or a date.' },
    server: { type: 'text', value: 'NAME', says: 'Only those about this server.' },
  },
  examples: [{ line: 'crosspoint policy dry-run new-policy.json --since 7d', says: 'The last week.' }],
  prints:
    '{ different, same, undecidable, changed: [{ sequence, at, server?, action, name, before: { effect, reviewsResult }, after: { effect, reviewsResult, reasons } }] }',
  async run({ words: [file = ''], options }, context) {
    const { dryRunPolicy } = await import('./checking.ts');
    await dryRunPolicy(file, options, context);
  },
});

export const policy: readonly Command[] = [check, explain, dryRun];
