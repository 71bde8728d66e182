import type { Readable } from 'node:stream';
import type { LinePlace } from './context.ts';
import { CliError } from './errors/cli-error.ts';
import { EXIT_CODES } from './errors/exit-codes.ts';
import { report } from './errors/report.ts';
import type { Command } from './grammar/command.ts';
import { commandHelp, groupHelp, mainHelp } from './grammar/help.ts';
import { parseLine, type ParsedLine } from './grammar/parse.ts';
import { processIo, type Io } from './output/io.ts';
import { Output } from './output/output.ts';
import { Interruption } from './interruption.ts';
import { contextFor } from './running.ts';
import type { ServerFacts } from './server/operations.ts';
import { GROUPS } from './tree.ts';
import { VERSION } from './version.ts';

export interface RunOptions {
  /** Variables in place of those of the process. */
  readonly env?: Io['env'];
  /** Input in place of that of the process. */
  readonly stdin?: Readable;
  /** Called when the servers of `crosspoint shell` are open, before its first line. Absent, the shell greets the user itself. */
  readonly onshell?: (servers: readonly ServerFacts[]) => void;
}

/**
 * The command `crosspoint`: carries out a command line and resolves with the exit code. `program` is the file that was run, by which keepers are
 * started.
 */
export async function run(
  words: readonly string[],
  program: string,
  { env, stdin, onshell }: RunOptions = {},
): Promise<number> {
  const io = processIo(program, {
    ...(env !== undefined && { env }),
    ...(stdin !== undefined && { stdin: stdin as Io['stdin'] }),
  });
  // A reader that has gone away, such as `head`, ends the command without a word.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => process.exit(EXIT_CODES.ok));
  return runLine(words, { io, onshell });
}

async function runLine(words: readonly string[], place: LinePlace): Promise<number> {
  const settings = { json: words.includes('--json'), text: words.includes('--text'), quiet: false };
  const output = new Output(place.io, settings);
  try {
    return await carriedOut(words, place, output);
  } catch (error) {
    return await report(error, output);
  } finally {
    await output.flushed();
  }
}

async function carriedOut(words: readonly string[], place: LinePlace, output: Output): Promise<number> {
  const { io } = place;
  const [first, second] = words;
  if (first === 'help' && second !== undefined) return carriedOut([...words.slice(1), '--help'], place, output);
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    io.stdout.write(mainHelp(GROUPS, output.colours));
    return EXIT_CODES.ok;
  }
  if (first === '--version' || first === '-V') {
    io.stdout.write(`${VERSION}\n`);
    return EXIT_CODES.ok;
  }
  const group = GROUPS.find(({ name }) => name === first);
  if (group === undefined)
    throw unknownWord(
      first,
      GROUPS.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name),
    );
  const commands = await group.load();
  const command = commands.find(({ path }) => path.length === 1 || path[1] === second);
  if (command === undefined) {
    const isHelp = second === undefined || second === '--help' || second === '-h';
    if (isHelp) io.stdout.write(groupHelp(group, commands, output.colours));
    if (second === '--help' || second === '-h') return EXIT_CODES.ok;
    const verbs = commands.map(({ path }) => path[1] ?? '');
    if (isHelp) return EXIT_CODES.usage;
    throw unknownWord(second, verbs, first);
  }
  return runCommand(command, parseLine(command, words.slice(command.path.length)), place, output);
}

async function runCommand(command: Command, line: ParsedLine, place: LinePlace, before: Output): Promise<number> {
  const { given, globals } = line;
  const { io, held, onagain, onshell } = place;
  if (globals.help) {
    io.stdout.write(commandHelp(command, before.colours));
    return EXIT_CODES.ok;
  }
  if (globals.json && globals.text)
    throw new CliError('usage', '--json and --text exclude each other. Give one of them.');
  const output = new Output(io, globals);
  const interruption = new Interruption(globals.timeout, onagain);
  try {
    const onInterrupt = (handler: () => void): (() => void) => interruption.caughtBy(handler);
    const context = contextFor(line, { io, output, signal: interruption.signal, onInterrupt, held });
    const ending = await command.run(given, { ...context, groups: GROUPS, runLine, held, onshell });
    return EXIT_CODES[ending ?? 'ok'];
  } catch (error) {
    throw interruption.reasonFor(error);
  } finally {
    interruption.stop();
    await output.flushed();
  }
}

function unknownWord(word: string, among: readonly string[], group?: string): CliError {
  const whole = group === undefined ? word : `${group} ${word}`;
  return new CliError('usage', `There is no command ${JSON.stringify(whole)}.`, {
    hint: `crosspoint ${group === undefined ? '' : `${group} `}--help lists the commands.`,
    mistyped: { word, among },
  });
}
