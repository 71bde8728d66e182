import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addOlder, besideOlder } from '../cli/against.mjs';
import { WORKLOADS } from '../workloads/index.mjs';

const named = (id) => besideOlder(WORKLOADS.find((workload) => workload.id === id)).variants;

describe('the comparison with another checkout', () => {
  it('measures the older build twice beside this one, and compares with its first row', () => {
    expect(named('w1').map(({ label, subject, reference }) => [label, subject, reference])).toEqual([
      ['before', 'before', 'before'],
      ['before again', 'before again', 'before'],
      ['crosspoint', 'crosspoint', 'before'],
    ]);
  });

  it('takes both ends of a pair from the older build, and leaves raw ends raw', () => {
    expect(
      named('w4b')
        .map(({ label, client, server }) => [label, client, server])
        .slice(0, 6),
    ).toEqual([
      ['before → before', 'before', 'before'],
      ['before again → before again', 'before again', 'before again'],
      ['crosspoint → crosspoint', 'crosspoint', 'crosspoint'],
      ['before → raw', 'before', 'raw'],
      ['before again → raw', 'before again', 'raw'],
      ['crosspoint → raw', 'crosspoint', 'raw'],
    ]);
  });

  it('adds the name of the build to rows that do not name their subject', () => {
    const rows = named('w15').slice(0, 3);
    expect(rows.map(({ label, subject }) => [label, subject])).toEqual([
      ['stateless, one process, before', 'before'],
      ['stateless, one process, before again', 'before again'],
      ['stateless, one process', 'crosspoint'],
    ]);
  });

  it('says what it wants when the folder is no built checkout', () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-checkout-'));
    expect(() => addOlder(folder)).toThrow('built with "npm run build"');
    rmSync(folder, { recursive: true });
  });
});
