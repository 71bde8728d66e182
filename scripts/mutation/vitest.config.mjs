import { statSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../packages.mjs';
import { FOLDERS } from './folders.mjs';

const { tests } = FOLDERS[process.env['MUTATED_FOLDER']];

/** Smallest file first: a run ends with the first test that fails, and most changes are noticed by a small one. */
class SmallestFirst extends BaseSequencer {
  async sort(specifications) {
    const size = ({ moduleId }) => statSync(moduleId).size;
    return specifications.toSorted((a, b) => size(a) - size(b));
  }
}

/** The tests of one folder, on sources: a built package would hide the change. */
export default defineConfig({
  resolve: { alias: sourceAliases() },
  test: {
    include: tests,
    exclude: ['**/node_modules/**', '**/dist/**'],
    // A change is switched on by a variable, so modules may be shared between files.
    isolate: false,
    sequence: { sequencer: SmallestFirst },
    testTimeout: 40_000,
    hookTimeout: 40_000,
    reporters: [],
  },
});
