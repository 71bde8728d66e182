import { StringDecoder } from 'node:string_decoder';
import { release, waiting } from '../tools.mjs';
import { createAnswer } from './answer.mjs';

/** Reads lines, answers each, and writes all answers to one chunk of input at once. */
export function start(options) {
  const answerTo = createAnswer(options);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let out = '';
  const flush = () => {
    if (out !== '') process.stdout.write(out);
    out = '';
  };
  /** Answers that come later are written together, too. */
  const writeLate = (answer) => {
    if (out === '') setImmediate(flush);
    out += `${JSON.stringify(answer)}\n`;
  };
  process.stdin.on('data', (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const answer = answerTo(JSON.parse(line));
      if (answer instanceof Promise) void answer.then(writeLate);
      else if (answer !== undefined) out += `${JSON.stringify(answer)}\n`;
    }
    flush();
  });
  process.stdin.on('end', () => process.exit(0));
  return { commands: { release, waiting } };
}
