/** Styles of texts on a terminal; each leaves the text alone where colours are off. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Colours for a stream: on for a terminal, off with `NO_COLOR` or `TERM=dumb`, on for any stream with `FORCE_COLOR`. */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colours {
  const isForced = (env['FORCE_COLOR'] ?? '0') !== '0';
  const isOff = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const isOn = !isOff && (isForced || stream.isTTY === true);
  const styles = Object.entries(CODES).map(([name, [on, off]]) => [
    name,
    isOn ? (text: string) => `\u001B[${on}m${text}\u001B[${off}m` : (text: string) => text,
  ]);
  return Object.fromEntries(styles) as Colours;
}
