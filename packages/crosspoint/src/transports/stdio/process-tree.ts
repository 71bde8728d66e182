import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchHostExit } from './host-exit.ts';

/**
 * A child and everything it started. On POSIX the child leads a process group of its own, so that one signal reaches wrappers and the
 * processes they started alike; a process that leaves the group on purpose (`setsid`) is out of reach. The number of a group stays taken
 * while any member lives, so it is safe to signal until it has been seen empty; after that it may belong to somebody else, and
 * this object never signals again.
 */
export interface ProcessTree {
  /** Whether anything of it still runs. */
  isAlive(): boolean;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** The host is ending: no time to wait for anything. */
  killNow(): void;
  /** Nothing is left to watch. */
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
      // EPERM: somebody is there, only not ours to signal (macOS says so of zombies).
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
 * Whether a group has a member that is more than a zombie. Orphans whose parent never collects them (a container without an init
 * process) stay in the group for good; only /proc tells them apart. Elsewhere every member counts.
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
    // The name in parentheses may hold anything, so the fields are counted from its end: state, parent, group.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(pgrp) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function windowsTree({ pid, hasExited }: DirectChild): Omit<ProcessTree, 'forget'> {
  const { command, args } = taskkill(pid, process.env);
  return {
    // Windows has no groups: once the child is gone, what it started cannot be found any more.
    isAlive: () => !hasExited(),
    signal() {
      // There is no polite way to end a console program, so both steps are the same.
      if (!hasExited()) spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    },
    killNow() {
      if (!hasExited()) spawnSync(command, args, { stdio: 'ignore', windowsHide: true });
    },
  };
}

/** By its full path: a program of that name elsewhere on the PATH must not be run instead. */
export function taskkill(pid: number, env: NodeJS.ProcessEnv): { command: string; args: string[] } {
  const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? 'C:\\Windows';
  return {
    command: join(root, 'System32', 'taskkill.exe').replaceAll('/', '\\'),
    args: ['/pid', String(pid), '/T', '/F'],
  };
}
