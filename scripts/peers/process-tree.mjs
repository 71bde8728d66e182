// The processes that a peer has started, by the list that `ps` gives.
import { execFileSync } from 'node:child_process';

const LOOK_MS = 100;

/** Every living process: its id, its parent and its group. On Windows there is no `ps`, and the list is empty. */
function living() {
  if (process.platform === 'win32') return [];
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => !state.startsWith('Z'))
    .map((fields) => fields.slice(0, 3).map(Number));
}

/** A process with everything that it started, as far as it can be found now. */
export function treeOf(root) {
  const all = living();
  const found = new Set(all.filter(([pid, , group]) => pid === root || group === root).map(([pid]) => pid));
  // A Set goes on with what is added to it meanwhile.
  for (const one of found) for (const [pid, parent] of all) if (parent === one) found.add(pid);
  return [...found];
}

/** Those of the processes that still run after the time, which are then killed. */
export async function survivors(pids, withinMs) {
  const end = performance.now() + withinMs;
  for (;;) {
    const alive = new Set(living().map(([pid]) => pid));
    const left = pids.filter((pid) => alive.has(pid));
    if (left.length === 0) return left;
    if (performance.now() >= end) {
      for (const pid of left) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      return left;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
