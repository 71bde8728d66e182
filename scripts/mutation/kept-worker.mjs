// A runner of Vitest that stays: its worker loads the sources once, and then runs tests for one change after the other as it is told to.
import { startTests } from '@vitest/runner';
import { getTests } from '@vitest/runner/utils';
import { VitestTestRunner } from 'vitest/runners';

/** The name by which instrumented sources know the change that is switched on. */
const NAMESPACE = '__stryker__';

const switches = () => (globalThis[NAMESPACE] ??= {});
const nameOf = (test) => {
  const names = [];
  for (let task = test; task !== undefined; task = task.suite) if (task.name !== '') names.unshift(task.name);
  // The file is a task as well, and the last suite.
  return names.join(' ').trim();
};
const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

export default class KeptRunner extends VitestTestRunner {
  #isKept = false;
  #active = {};

  /** The first file is only a reason to be started: here the worker begins to listen, until it is told to end. */
  async onBeforeRunFiles() {
    if (this.#isKept) return void Object.assign(switches(), this.#active);
    this.#isKept = true;
    this.onCollected = this.onTaskUpdate = async () => {};
    const channel = new BroadcastChannel('kept-worker');
    await new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        if (data.ends) resolve();
        else if (data.files) void this.#tryOut(data).then((found) => channel.postMessage({ found }));
      };
      channel.postMessage({ isReady: true });
    });
    channel.close();
    this.cancelRun = true;
  }

  onAfterRunFiles(files) {
    switches().activeMutant = undefined;
    super.onAfterRunFiles(files);
  }

  /** Nothing after the first failure is of interest. */
  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') this.cancelRun = true;
  }

  importFile(path, source) {
    const known = this.workerState.evaluatedModules.getModuleById(path);
    if (known) this.workerState.evaluatedModules.invalidateModule(known);
    return super.importFile(path, source);
  }

  async #tryOut({ mutant, hitLimit, files }) {
    let hits = 0;
    for (const { path, names } of files) {
      const failed = await this.#run(path, names, { activeMutant: mutant, hitLimit, hitCount: 0 });
      hits += switches().hitCount ?? 0;
      if (failed === undefined) continue;
      if (failed.name === undefined) return { outcome: 'unsure', path };
      const again = await this.#run(path, [failed.name], { activeMutant: undefined });
      return { outcome: again === undefined ? 'killed' : 'unsure', path, ...failed };
    }
    // A change that was not reached may stand behind a value that an earlier run has computed.
    return { outcome: hits > 0 ? 'survived' : 'unreached' };
  }

  /** The first of these tests that fails, `{}` where something around them did; `undefined` where all pass. */
  async #run(path, names, active) {
    this.#active = active;
    this.cancelRun = false;
    this.config.testNamePattern = new RegExp(`^(?:${names.map(escaped).join('|')})$`);
    const [file] = await startTests([{ filepath: path, testLocations: undefined }], this);
    const tests = getTests(file);
    const failed = tests.find(({ result }) => result?.state === 'fail');
    if (failed) return { name: nameOf(failed), message: failed.result.errors?.[0]?.message ?? 'It failed.' };
    return file.result?.state === 'fail' || !tests.some(({ result }) => result?.state === 'pass') ? {} : undefined;
  }
}
