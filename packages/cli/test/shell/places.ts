import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../../../../examples/dist/demo-server/stdio.js', import.meta.url));

/** Configures the example server as "demo", which writes down each of its processes. Returns the processes so far. */
export function configureDemo(home: string): () => readonly number[] {
  const file = join(home, 'started');
  writeFileSync(file, '');
  const script = `require('node:fs').appendFileSync(${JSON.stringify(file)}, process.pid + '\\n'); import(${JSON.stringify(pathToFileURL(DEMO).href)})`;
  const demo = { command: process.execPath, args: ['--eval', script] };
  writeFileSync(join(home, 'crosspoint.json'), JSON.stringify({ crosspoint: 1, servers: { demo } }));
  return () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
