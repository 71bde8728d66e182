// The processes that are measured, and the one that drives them.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import os from 'node:os';
import { placeOf } from './places.mjs';

const LIMIT_MS = 60_000;
export const SERVER_CORE = 0;
export const DRIVER_CORE = 1;

/** Whether the measured process and its driver get a core each. */
export const canPin =
  process.platform === 'linux' &&
  os.cpus().length > 1 &&
  spawnSync('taskset', ['-c', String(DRIVER_CORE), process.execPath, '-e', '']).status === 0;

/** The command line that runs Node on one core, or on any where pinning is not possible. */
export function nodeCommand(core, args) {
  return canPin ? ['taskset', '-c', String(core), process.execPath, ...args] : [process.execPath, ...args];
}

/** Moves this process, and every process it starts later, to the driver's core. */
export function pinDriver() {
  if (canPin) spawnSync('taskset', ['-a', '-cp', String(DRIVER_CORE), String(process.pid)]);
}

/** Microseconds of processor time that a process has used, all threads; unknown where there is no /proc. */
export function cpuTimeOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const spent = (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
    return tasks.reduce((sum, task) => sum + spent(task), 0) / 1000;
  } catch {
    return undefined;
  }
}

/** The processes that a process has started, and those that they have started. None where there is no /proc. */
export function startedBy(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap(
      (task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').match(/\d+/g) ?? [],
    );
    return children.map(Number).flatMap((child) => [child, ...startedBy(child)]);
  } catch {
    return [];
  }
}

/** The arguments with which Node runs a part of a subject; see subjects/host.mjs. */
function hostArgs(name, part, options) {
  const { bench, subject } = placeOf(name);
  return [join(bench, 'subjects', 'host.mjs'), subject, part, JSON.stringify(options)];
}

/** The command line that starts a part of a subject, for programs that start it themselves. */
export const subjectCommand = (subject, part, options, core = SERVER_CORE) =>
  nodeCommand(core, hostArgs(subject, part, options));

/** Without warnings: some peers leave a listener with every call, and Node would write a line for each. */
const ENVIRONMENT = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' };

/** Running processes, so that none is left behind. */
const running = new Set();

/** Ends the processes that a failed sample has left running. */
export async function stopAll() {
  await Promise.all([...running].map((process) => process.stop()));
}

/** A process that answers commands over its channel; see subjects/host.mjs. */
class CommandedProcess {
  #child;
  #waiting = new Map();
  #nextId = 1;
  #name;
  port;

  constructor(child, name) {
    this.#child = child;
    this.#name = name;
    running.add(this);
    child.once('exit', () => running.delete(this));
  }

  get child() {
    return this.#child;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves when it is ready to be used. */
  async ready() {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${this.#name} did not start within ${LIMIT_MS} ms.`)), LIMIT_MS);
      const fail = (reason) => {
        clearTimeout(timer);
        const error = new Error(`${this.#name} ended: ${reason}.`);
        reject(error);
        for (const { reject: give } of this.#waiting.values()) give(error);
        this.#waiting.clear();
      };
      this.#child.on('error', (error) => fail(error.message));
      this.#child.on('exit', (code, signal) => fail(signal ?? `exit code ${code}`));
      this.#child.on('message', (message) => {
        if (message.ready) {
          clearTimeout(timer);
          this.port = message.port;
          resolve();
        } else this.#settle(message);
      });
    });
    return this;
  }

  #settle({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${this.#name}: ${error}`));
  }

  /** Calls one of its commands. */
  call(command, argument) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, command, argument });
    });
  }

  usage() {
    return this.call('usage');
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/**
 * Starts a part of a subject in a process of its own.
 * @param {string} subject
 * @param {string} part a file in the subject's folder
 * @param {object} options passed to its `start`
 * @param {{ core?: number, nodeArgs?: string[], pipes?: boolean }} how
 */
export function startSubject(subject, part, options = {}, how = {}) {
  const { core = SERVER_CORE, nodeArgs = [], pipes = false } = how;
  const [command, ...args] = nodeCommand(core, [...nodeArgs, ...hostArgs(subject, part, options)]);
  const stdio = pipes ? ['pipe', 'pipe', 'inherit', 'ipc'] : ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = spawn(command, args, { stdio, env: ENVIRONMENT });
  return new CommandedProcess(child, `${subject} ${part}`).ready();
}
