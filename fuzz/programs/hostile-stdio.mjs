// A server by script over stdio; the script is the file that is named.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { split } from '../inputs/mutate.mjs';
import { repliesTo } from '../subjects/hostile-script.mjs';

const script = JSON.parse(readFileSync(process.argv[2], 'utf8'));
process.stdout.on('error', () => process.exit(0));
createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const reply = repliesTo(script, message);
  if (reply === undefined || reply.ending === 'silence') return;
  const bytes = Buffer.from(`${reply.frames.join('\n')}\n`);
  for (const part of split(bytes, reply.cut ?? [])) process.stdout.write(part);
  if (reply.ending === 'reset') process.exit(1);
});
