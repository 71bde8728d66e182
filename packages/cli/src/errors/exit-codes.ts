/** The exit codes of every command, by the kind of ending. Scripts rely on them: a number never changes its meaning. */
export const EXIT_CODES = {
  ok: 0,
  usage: 1,
  denied: 2,
  login: 3,
  unreachable: 4,
  failed: 5,
  invalid: 6,
  mismatch: 7,
  unanswered: 8,
  timeout: 9,
  internal: 10,
  interrupted: 130,
} as const;

/** How a command ended. */
export type Ending = keyof typeof EXIT_CODES;

/** The ending that an exit code stands for. */
export function endingOf(code: number): Ending {
  const found = Object.entries(EXIT_CODES).find(([, one]) => one === code);
  return found === undefined ? 'internal' : (found[0] as Ending);
}

/** Each ending in one sentence, for the reference and `--help`. */
export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  ok: 'It worked.',
  usage:
    'The command line is wrong, or names something that does not exist or that the server does not offer. Nothing was sent.',
  denied: 'The policy or the user refused, or the configuration is not trusted.',
  login: 'The server wants a login that nobody has finished.',
  unreachable: 'The server could not be started or reached.',
  failed: 'The server answered with an error: a tool failed (isError), or a request was refused.',
  invalid: 'The server broke the protocol or its own schemas.',
  mismatch: 'A check found something: a configuration with faults, a log that was changed.',
  unanswered: 'The server asked something, and nobody was there to answer.',
  timeout: 'The time of --timeout was over.',
  internal: 'The command itself failed. This is a fault of crosspoint.',
  interrupted: 'Ctrl-C, or a signal. What was running was cancelled.',
};
