import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OFFICIAL, PACKAGES, PROGRAMS, programs, rename, type Renamed } from './program-runs.ts';

/** What each program shows. A program that is not named here is a mistake, and so is a name without a program. */
const SHOWN: Readonly<Record<string, string>> = {
  'quick-start': '',
};

describe.each(PACKAGES)('programs for the official SDK, with %s', (name) => {
  let renamed: Renamed;
  beforeAll(() => {
    renamed = rename(name);
  });
  afterAll(() => renamed.remove());

  it.each(programs().map((program) => [program]))('%s', { timeout: 200_000 }, async (program) => {
    const transcript = join(PROGRAMS, program, 'transcript.txt');
    const printed = await renamed.run(program);
    expect(printed.trimEnd().split('\n').at(-1)).toBe('{"what":"done"}');
    if (name === OFFICIAL) await expect(printed).toMatchFileSnapshot(transcript);
    else expect(printed).toBe(readFileSync(transcript, 'utf8'));
  });

  it('all of them compile', { timeout: 120_000 }, () => {
    expect(renamed.check()).toEqual({ status: 0, output: '' });
  });
});
