import { join } from 'node:path';
import { isTerminal } from '../../answering/confirm.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { endingOf, EXIT_CODES, type Ending } from '../../errors/exit-codes.ts';
import { report } from '../../errors/report.ts';
import { tableText } from '../../output/table.ts';
import type { ServerFacts } from '../../server/operations.ts';
import type { SharedHost } from '../../server/shared-host.ts';
import { completeLine } from './complete-line.ts';
import { LineHistory } from './history.ts';
import type { Lines } from './lines.ts';
import { PipedLines } from './piped-lines.ts';
import { wordsOf } from './split-words.ts';
import { TypedLines } from './typed-lines.ts';

/** Commands that belong to a process of their own. */
const ALONE = ['shell', 'bridge', 'record', 'keeper'];

/** Opens the servers, carries out the lines, and ends the servers. Resolves with the ending of the first line that failed; `ok` on a terminal. */
export async function runShell(
  names: readonly string[],
  historyFile: string | undefined,
  context: CommandContext,
): Promise<Ending> {
  const { io, home, output } = context;
  const { SharedHost: OneHost } = await import('../../server/shared-host.ts');
  const held = await OneHost.open({
    home,
    cwd: io.cwd,
    env: io.env,
    note: (text) => output.note(text),
  });
  try {
    const servers = await openAll(new Set(names), held, context);
    if (context.signal.aborted) return 'ok';
    if (context.onshell === undefined) greet(servers, context);
    else context.onshell(servers);
    return isTerminal(io)
      ? await typedLines(historyFile ?? join(home.stateFolder, 'history'), held, context)
      : await carryOutAll(new PipedLines(io.stdin, context.signal), held, context);
  } finally {
    await held.close();
  }
}

/** Opens servers side by side. One that fails is told of, and keeps no other from being used. */
async function openAll(
  names: ReadonlySet<string>,
  held: SharedHost,
  { withServer, output, signal }: CommandContext,
): Promise<readonly ServerFacts[]> {
  const opened = await Promise.all(
    [...names].map(async (word) => {
      try {
        const show = { kind: 'word', word } as const;
        return await withServer(show, (server) => server.request('show', {}), { held });
      } catch (error) {
        if (!signal.aborted) await report(error, output);
        return undefined;
      }
    }),
  );
  return opened.filter((facts) => facts !== undefined);
}

function greet(servers: readonly ServerFacts[], { io, output }: CommandContext): void {
  if (!isTerminal(io)) return;
  const rows = servers.map(({ name, revision, tools, target }) => [name, revision, `${tools} tools`, target]);
  if (rows.length > 0) output.note(`${tableText(rows)}\n`);
  const first = servers[0]?.name;
  output.note(
    `Each line is a command, without the word crosspoint: ${first === undefined ? 'servers ls' : `tools ls ${first}`}. help lists them, the tab key completes, exit ends.`,
  );
}

async function typedLines(file: string, held: SharedHost, context: CommandContext): Promise<Ending> {
  const { io, home, groups, output, signal } = context;
  const history = new LineHistory(file, ({ message }) => output.note(`The history cannot be kept: ${message}`));
  const lines = new TypedLines({
    io,
    prompt: output.noteColours.bold('crosspoint> '),
    history: await history.read(),
    signal,
    complete: (line) => completeLine(line, groups, { home, cwd: io.cwd, env: io.env, signal, held }),
  });
  await carryOutAll(
    {
      async next() {
        const line = await lines.next();
        if (line !== undefined && line.trim() !== '') await history.add(line);
        return line;
      },
    },
    held,
    context,
  );
  return 'ok';
}

async function carryOutAll(lines: Lines, held: SharedHost, context: CommandContext): Promise<Ending> {
  let first: Ending = 'ok';
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const code = await carryOut(line, held, context);
    if (code === 'exit') break;
    if (first === 'ok') first = endingOf(code);
  }
  return first;
}

/** Carries out one line and resolves with its exit code; `exit` where the shell is to end. */
async function carryOut(
  line: string,
  held: SharedHost,
  { io, output, runLine }: CommandContext,
): Promise<number | 'exit'> {
  if (line.trimStart().startsWith('#')) return EXIT_CODES.ok;
  try {
    const typed = wordsOf(line);
    const words = typed[0] === 'crosspoint' ? typed.slice(1) : typed;
    const [first] = words;
    if (first === undefined) return EXIT_CODES.ok;
    if (first === 'exit' || first === 'quit') return 'exit';
    if (ALONE.includes(first) && !words.includes('--help') && !words.includes('-h'))
      throw new CliError('usage', `${first} needs a process of its own, so it is no line of a shell.`, {
        hint: `Type crosspoint ${first} in another terminal.`,
      });
    const left = new Promise<number>((resolve) => {
      const onagain = (): void => {
        output.note('The command did not end, and was left.');
        resolve(EXIT_CODES.interrupted);
      };
      void runLine(words, { io: { ...io, isShared: true }, held, onagain }).then(resolve);
    });
    return await left;
  } catch (error) {
    return report(error, output);
  }
}
