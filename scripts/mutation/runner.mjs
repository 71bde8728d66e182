// A test runner for Stryker. Its own one for Vitest starts a worker and loads all sources for each change: half a second of processor time, beside a few
// milliseconds for the test that fails. Here a worker that stays tries first, and is believed only where the test that failed passes again as soon as
// the change is switched off, or where the change was reached and every test passed. Anything else (a change of a constant, a doubt) goes to Stryker's
// own runner.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { strykerPlugins as official } from '@stryker-mutator/vitest-runner';
import { placeOf } from './folders.mjs';

/** A file whose tests do not pass twice in one worker is left to Stryker's runner after this many doubts. */
const MOST_DOUBTS = 20;

/** The worker that stays. */
class KeptWorker {
  #options;
  #vitest;
  #channel;
  #run;
  #answer;
  #doubts = new Map();

  constructor(options) {
    this.#options = options;
  }

  /** Runs the tests for a change: `killed` with the test that failed, `survived`, or what leaves it open. */
  async tryOut({ activeMutant, hitLimit, testFilter }) {
    const all = filesOf(testFilter);
    const files = all.filter(({ path }) => (this.#doubts.get(path) ?? 0) < MOST_DOUBTS);
    if (files.length === 0) return { outcome: 'unsure' };
    await this.#start(files[0].path);
    const { found } = await this.#ask({ mutant: activeMutant.id, hitLimit, files });
    if (found.outcome === 'unsure') {
      this.#doubts.set(found.path, (this.#doubts.get(found.path) ?? 0) + 1);
      await this.#end();
    }
    return found.outcome === 'survived' && files.length < all.length ? { outcome: 'unsure' } : found;
  }

  async #start(path) {
    if (this.#run !== undefined) return;
    this.#vitest ??= await createVitest('test', {
      config: this.#options.vitest.configFile,
      runner: fileURLToPath(new URL('kept-worker.mjs', import.meta.url)),
      pool: 'threads',
      maxWorkers: 1,
      maxConcurrency: 1,
      // A test that hangs because of the change need not do so for long: it has to pass without the change to count.
      testTimeout: 5000,
      hookTimeout: 5000,
      watch: false,
      onConsoleLog: () => false,
    });
    this.#channel = new BroadcastChannel('kept-worker');
    this.#channel.onmessage = ({ data }) => this.#answer?.(data);
    const ready = new Promise((resolve) => (this.#answer = resolve));
    this.#run = this.#vitest.start([path]).catch(() => undefined);
    await ready;
  }

  #ask(command) {
    const answer = new Promise((resolve) => (this.#answer = resolve));
    this.#channel.postMessage(command);
    return answer;
  }

  async #end() {
    if (this.#run === undefined) return;
    this.#channel.postMessage({ ends: true });
    await this.#run;
    this.#channel.close();
    this.#run = undefined;
    this.#vitest.state.filesMap.clear();
  }

  async close() {
    await this.#end();
    await this.#vitest?.close();
  }
}

/** The files of tests (`file#name`), in the order of their folder. */
function filesOf(testIds) {
  const names = new Map();
  for (const id of testIds) {
    const path = resolve(id.slice(0, id.indexOf('#')));
    names.set(path, [...(names.get(path) ?? []), id.slice(id.indexOf('#') + 1)]);
  }
  const folder = process.env['MUTATED_FOLDER'];
  return [...names]
    .map(([path, all]) => ({ path, names: all }))
    .toSorted((a, b) => placeOf(folder, a.path) - placeOf(folder, b.path));
}

/** Stryker's runner, with a worker that stays before it. */
class Runner {
  #official;
  #kept;

  constructor(stryker, options) {
    this.#official = stryker;
    this.#kept = new KeptWorker(options);
  }

  capabilities() {
    return this.#official.capabilities();
  }

  init() {
    return this.#official.init();
  }

  dryRun(options) {
    return this.#official.dryRun(options);
  }

  async mutantRun(options) {
    if (options.mutantActivation === 'runtime' && options.testFilter?.length > 0) {
      const { outcome, path, name, message } = await this.#kept.tryOut(options);
      const killer = options.testFilter.find(
        (id) => resolve(id.slice(0, id.indexOf('#'))) === path && id.endsWith(`#${name}`),
      );
      if (outcome === 'killed' && killer !== undefined)
        return { status: 'killed', killedBy: [killer], failureMessage: message, nrOfTests: 1 };
      if (outcome === 'survived') return { status: 'survived', nrOfTests: options.testFilter.length };
    }
    const result = await this.#official.mutantRun(options);
    // Files that cannot be loaded have no tests, and Stryker's runner takes that for a good end.
    return result.status === 'survived' && result.nrOfTests === 0
      ? { status: 'killed', killedBy: [], failureMessage: 'No test file could be loaded.', nrOfTests: 0 }
      : result;
  }

  async dispose() {
    await this.#kept.close();
    await this.#official.dispose();
  }
}

const factory = (injector) => new Runner(official[0].factory(injector), injector.resolve('options'));
factory.inject = ['$injector'];

export const strykerPlugins = [{ kind: 'TestRunner', name: 'kept', factory }];
