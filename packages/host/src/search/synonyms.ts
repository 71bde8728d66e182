import { wordsOf } from './words.ts';

/** Words that people and the authors of tools use for the same thing. A word may stand in several rows. */
const ROWS = [
  'search find lookup look query',
  'create make new add open',
  'check verify validate audit test inspect',
  'generate create draw plot make',
  'delete remove erase discard clear throw',
  'update edit change modify set',
  'show display view open',
  'list show all',
  'get read retrieve fetch show',
  'fetch download get',
  'send post write publish',
  'run execute start launch',
  'rename move',
  'stop end cancel abort',
  'directory folder',
  'image picture photo',
  'screenshot capture picture',
  'repository repo project',
  'pull request pr',
  'issue bug ticket problem',
  'message mail chat',
  'documentation docs doc manual',
  'website web page site url',
  'chart graph plot diagram',
  'database table sql',
  'size big large',
  'error exception crash failure',
  'weather forecast',
  'place location address',
  'note memo remember observation',
  'time date clock',
  'script code program snippet',
  'command shell terminal',
  'navigate go visit open',
  'undo revert reset restore',
  'copy duplicate clone',
  'upload attach',
  'save store keep remember',
  'buy order pay purchase',
  'event meeting appointment calendar',
  'person people user contact',
  'sum add plus total',
  'summary summarize overview',
  'several multiple many',
] as const;

const table = new Map<string, Set<string>>();
for (const row of ROWS) {
  const words = wordsOf(row, Infinity);
  for (const word of words) {
    const others = table.get(word) ?? new Set();
    for (const other of words) if (other !== word) others.add(other);
    table.set(word, others);
  }
}

/** Other words for a word of `wordsOf`. */
export function synonymsOf(word: string): Iterable<string> {
  return table.get(word) ?? [];
}
