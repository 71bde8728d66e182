import { StringDecoder } from 'node:string_decoder';
import { createAnswer } from './answer.mjs';

/** Reads lines, answers each, and writes all answers to one chunk of input at once. */
export function start(options) {
  const answerTo = createAnswer(options);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  process.stdin.on('data', (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      const answer = answerTo(JSON.parse(line));
      if (answer !== undefined) out += `${JSON.stringify(answer)}\n`;
    }
    if (out !== '') process.stdout.write(out);
  });
  process.stdin.on('end', () => process.exit(0));
}
