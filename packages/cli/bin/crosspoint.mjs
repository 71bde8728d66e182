#!/usr/bin/env node
// The version is answered before anything is loaded.
import { readFileSync } from 'node:fs';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  const { run } = await import('../dist/index.js');
  process.exitCode = await run(words, import.meta.filename);
}
