import { describeItem, visibleLine, visibleText, type DefinitionChange, type ServerChanges } from '@crosspoint/host';
import type { Answerer } from '../../answering/answerer.ts';
import { confirm } from '../../answering/confirm.ts';
import type { CommandContext } from '../../context.ts';
import type { TargetWords } from '../../grammar/command.ts';

/** Shows how a server differs from what the user knows, and takes it as it is after a yes. */
export async function acceptServer(target: TargetWords, isYes: boolean, context: CommandContext): Promise<void> {
  const { output, io, signal, withServer } = context;
  const say = async (words: readonly string[], question: string): Promise<void> => {
    output.note(words.join('\n'));
    if (!isYes) await confirm(question, { io, signal, hint: '--yes accepts.' });
  };
  // A command or address that changed is asked about before it is started.
  const answerer: Answerer = async (item) => {
    if (item.kind !== 'start') return undefined;
    const { title, lines } = describeItem(item);
    await say([title, ...lines], 'Start it in this way?');
    return { action: 'allow' };
  };
  await withServer(
    target,
    async (server) => {
      const { changes } = await server.request('definitions.changes', {});
      const lines = changesLines(changes);
      if (lines.length > 0) {
        await say(lines, `Accept the tools of ${visibleLine(server.name)} as they are now?`);
        await server.request('definitions.accept', {});
      }
      output.result({ name: server.name, changes, isAccepted: true }, () =>
        lines.length === 0 ? 'Its tools are as they were.' : 'Accepted.',
      );
    },
    { answerer },
  );
}

/** The differences of a server, for people. */
function changesLines({ added, removed, renamed, changed, instructions }: ServerChanges): string[] {
  return [
    ...added.map((name) => `+ ${visibleLine(name)}`),
    ...removed.map((name) => `- ${visibleLine(name)}`),
    ...renamed.map(({ from, to }) => `  ${visibleLine(from)} is now ${visibleLine(to)}`),
    ...changed.flatMap(({ tool, changes }) => [`~ ${visibleLine(tool)}`, ...changes.flatMap(changeLines)]),
    ...(instructions === undefined
      ? []
      : [
          '~ instructions',
          ...changeLines({ path: '', before: instructions.before ?? '', after: instructions.after ?? '' }),
        ]),
  ];
}

function changeLines({ path, before, after }: DefinitionChange): string[] {
  const words = (sign: string, value: unknown): string[] =>
    value === undefined
      ? []
      : visibleText(typeof value === 'string' ? value : JSON.stringify(value))
          .split('\n')
          .map((line) => `      ${sign} ${line}`);
  return [`    ${visibleLine(path)}`, ...words('-', before), ...words('+', after)];
}
