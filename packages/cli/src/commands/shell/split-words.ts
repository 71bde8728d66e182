import { CliError } from '../../errors/cli-error.ts';

/** A line as the words that were typed. */
export interface SplitLine {
  readonly words: readonly string[];
  /** The quote that is still open at the end of the line. */
  readonly openQuote: '"' | "'" | undefined;
  /** Whether the line ends within a word; the next character would belong to it. */
  readonly isInWord: boolean;
}

/** Characters that a backslash takes the meaning from. Before others it stands for itself, as in paths of Windows. */
const ESCAPED = /[\s"'\\]/;

/** Splits a line at spaces, as far as no quote or backslash holds them. Nothing is expanded. */
export function splitLine(line: string): SplitLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: SplitLine['openQuote'];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    const next = line.charAt(at + 1);
    if (sign === '\\' && quote !== "'" && (quote === '"' ? /["\\]/ : ESCAPED).test(next)) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else word = (word ?? '') + sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (word !== undefined) words.push(word);
  return { words, openQuote: quote, isInWord: word !== undefined };
}

/** The words of a line. Throws where a quote is not closed. */
export function wordsOf(line: string): readonly string[] {
  const { words, openQuote } = splitLine(line);
  if (openQuote === undefined) return words;
  throw new CliError('usage', `The quote ${openQuote} is not closed, so nothing was done.`);
}
