// One of several processes that write into one SQLite file: sqlite-writer.mjs FILE NAME
// Prints `+ <entry>` for each write that the store has acknowledged, and `! <why>` for each that failed. The end of its input ends it.
import { writeSync } from 'node:fs';
import process from 'node:process';
import { openRecommended } from './sqlite-store.mjs';

const [path, name] = process.argv.slice(2);
/** Written before the process can be killed, unlike the output of `console.log` to a pipe. */
const say = (line) => writeSync(1, `${line}\n`);

async function write(store, entry) {
  await store.append('log', entry, { leftBy: name });
  await store.put(entry, 'written', { leftBy: name });
  await store.add('count', 1);
  const { value } = (await store.get(entry)) ?? {};
  if (value !== 'written') throw new Error(`${entry} was written and is not there.`);
}

process.stdin.resume();

try {
  const store = await openRecommended(path);
  for (let number = 1; !process.stdin.readableEnded; number += 1) {
    const entry = `${name}.${process.pid}.${number}`;
    await write(store, entry).then(
      () => say(`+ ${entry}`),
      (error) => say(`! ${error.cause ?? error}`),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  }
  await store.close();
} catch (error) {
  say(`! ${error.cause ?? error}`);
}
