import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchHostExit } from './host-exit.ts';

/**
 * A child and all processes it started. On POSIX the child leads a process group, so that one signal reaches wrappers and their children
 * alike; a process that leaves the group on purpose (`setsid`) is out of reach. A group id stays in use while any member lives, so it is
 * safe to signal until the group was seen empty; afterwards it may belong to another group, and this object sends no more signals.
 */
export interface ProcessTree {
  /** Whether any of the processes still runs. */
  isAlive(): boolean;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Kills all processes without waiting: the host is ending. */
  killNow(): void;
  /** Stops watching. */
  forget(): void;
}

export interface DirectChild {
  readonly pid: number;
  readonly hasExited: () => boolean;
}

export function watchTree(child: DirectChild): ProcessTree {
  const tree = process.platform === 'win32' ? windowsTree(child) : posixTree(child);
  const unwatch = watchHostExit(() => tree.killNow());
  return { ...tree, forget: unwatch };
}

function posixTree({ pid, hasExited }: DirectChild): Omit<ProcessTree, 'forget'> {
  let isEmpty = false;
  function signal(name: NodeJS.Signals | 0): boolean {
    if (isEmpty) return false;
    try {
      return process.kill(-pid, name);
    } catch (error) {
      // EPERM: a process exists but cannot be signalled (macOS reports zombies this way).
      if ((error as NodeJS.ErrnoException).code === 'EPERM') return !hasExited();
      if (hasExited()) isEmpty = true;
      return !hasExited();
    }
  }
  return {
    isAlive: () => signal(0) && (!hasExited() || hasLivingMember(pid)),
    signal: (name) => void signal(name),
    killNow: () => void signal('SIGKILL'),
  };
}

/**
 * Whether a group has a member other than zombies. Orphans that no parent reaps (a container without an init process) stay in the group for
 * ever; only /proc tells them apart. Elsewhere every member counts.
 */
function hasLivingMember(group: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, group));
  } catch {
    return true;
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, so fields are counted from its end: state, parent, group.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(pgrp) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function windowsTree({ pid, hasExited }: DirectChild): Omit<ProcessTree, 'forget'> {
  const { command, args } = taskkill(pid, process.env);
  return {
    // Windows has no process groups: after the child has exited, its descendants cannot be found.
    isAlive: () => !hasExited(),
    signal() {
      // Windows has no polite way to end a console program, so both steps are the same.
      if (!hasExited()) spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    },
    killNow() {
      if (!hasExited()) spawnSync(command, args, { stdio: 'ignore', windowsHide: true });
    },
  };
}

/** Uses the full path, so that no other program of that name on the PATH is run. */
export function taskkill(pid: number, env: NodeJS.ProcessEnv): { command: string; args: string[] } {
  const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? 'C:\\Windows';
  return {
    command: join(root, 'System32', 'taskkill.exe').replaceAll('/', '\\'),
    args: ['/pid', String(pid), '/T', '/F'],
  };
}
