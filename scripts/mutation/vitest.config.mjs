import { BaseSequencer } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../packages.mjs';
import { FOLDERS, placeOf } from './folders.mjs';

const name = process.env['MUTATED_FOLDER'];

class QuickFirst extends BaseSequencer {
  async sort(specifications) {
    return specifications.toSorted((a, b) => placeOf(name, a.moduleId) - placeOf(name, b.moduleId));
  }
}

/** The tests of one folder, on sources: a built package would hide the change. */
export default defineConfig({
  resolve: { alias: sourceAliases() },
  test: {
    include: FOLDERS[name].tests,
    exclude: ['**/node_modules/**', '**/dist/**'],
    // A change is switched on by a variable, so modules may be shared between files.
    isolate: false,
    sequence: { sequencer: QuickFirst },
    testTimeout: 40_000,
    hookTimeout: 40_000,
    reporters: [],
  },
});
