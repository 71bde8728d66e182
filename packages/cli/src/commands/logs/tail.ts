import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { follow, untilInterrupted } from '../../server/followed.ts';
import type { LogLine } from '../../server/offers/offer-operations.ts';
import { LOG_LEVELS } from '../../values/log-levels.ts';

/** Lines from before that are printed where `--last` is absent; of a server that was opened for the command, every one. */
const LAST = 10;
const MOST = 1000;

export const tail: Command = defineCommand({
  path: ['logs', 'tail'],
  says: 'Print the log messages of a server and the lines of its stderr as they come.',
  about:
    'It ends by Ctrl-C or a signal, with exit code 0, or after --count lines. A kept connection keeps the last 1,000 lines, of which the last 10 are printed first. crosspoint logs level sets which messages the server sends.',
  target: 'needed',
  options: {
    last: {
      type: 'number',
      value: 'NUMBER',
      least: 0,
      most: MOST,
      isWhole: true,
      says: 'Print this many lines from before; 10 when absent.',
    },
    'no-follow': { type: 'flag', says: 'End after the lines from before.' },
    count: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 1_000_000,
      isWhole: true,
      says: 'End after this many lines.',
    },
    source: { type: 'text', value: 'SOURCE', words: ['log', 'stderr'], says: 'Only log messages, or only stderr.' },
    level: {
      type: 'text',
      value: 'LEVEL',
      words: LOG_LEVELS,
      says: 'Only log messages that are at least so severe; lines of stderr have no level.',
    },
  },
  examples: [
    { line: 'crosspoint logs tail ev', says: 'The last ten lines, and new ones until Ctrl-C.' },
    { line: 'crosspoint logs tail ev --last 100 --no-follow', says: 'What happened before.' },
    { line: 'crosspoint logs tail ev --source log --level warning', says: 'Warnings and worse.' },
  ],
  prints: 'a line for each: { at, source: "log", level, logger?, data } or { at, source: "stderr", line }',
  async run({ target, options }, { withServer, output, signal }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { lineText } = output.isJson ? { lineText: () => '' } : await import('./line-text.ts');
    return untilInterrupted(signal, (began) =>
      withServer(target, async (server) => {
        began();
        const last = options.last ?? (server.isKept ? LAST : MOST);
        const isFollowing = !options['no-follow'];
        if (isFollowing) output.note('Following. Ctrl-C ends it.');
        await follow(
          server,
          'logs.follow',
          { last, follow: isFollowing },
          {
            count: options.count,
            take(event) {
              if (event.type === 'note') output.note(event.text);
              if (event.type !== 'log' && event.type !== 'stderr') return false;
              if (!isWanted(event, options.source, options.level)) return false;
              const { type, at, ...line } = event;
              output.item({ at, source: type, ...line }, () => lineText(event, output.colours));
              return true;
            },
          },
        );
      }),
    );
  },
});

function isWanted(line: LogLine, source: string | undefined, least: string | undefined): boolean {
  if (source !== undefined && line.type !== source) return false;
  if (least === undefined || line.type === 'stderr') return true;
  // A level that the specification does not have is shown: it may be a severe one.
  const at = LOG_LEVELS.findIndex((level) => level === line.level);
  return at === -1 || at >= LOG_LEVELS.findIndex((level) => level === least);
}
