import { describe, expect, it } from 'vitest';
import { drawChart } from '../report/chart.mjs';
import { shortNumber } from '../report/figures.mjs';
import { replaceBlock, resultsDocument } from '../report/save.mjs';
import { summary } from '../report/summary.mjs';
import { markdownTable, plainTable } from '../report/table.mjs';
import { atLeast, atMost, leastOf, limit, timesRow, withinOf } from '../workloads/targets.mjs';
import { RESULT } from './result.mjs';

const [calls, growth] = RESULT.tables;

describe('tables', () => {
  it('show figure, ratio with range, the load of others, and whether the target was reached', () => {
    expect(plainTable(calls).split('\n')).toEqual([
      '            requests/s                of raw  others’ cores  target',
      'raw             20,000',
      'crosspoint      18,000  ×0.900 [0.900–0.900]           0.01  reached: ≥ 85 % of raw (90 %)',
      'tmcp                 –                                       FAILED: It ended.',
    ]);
  });

  it('are written for documents with numbers to the right', () => {
    expect(markdownTable(calls).split('\n').slice(0, 2)).toEqual([
      '|  | requests/s | of raw | others’ cores | target |',
      '| --- | ---: | ---: | ---: | --- |',
    ]);
  });

  it('show growth with a row for every size', () => {
    expect(plainTable(growth).split('\n')).toEqual([
      'tools  raw  crosspoint',
      '1       50  60 (×1.20)',
      '1,000   50  61 (×1.22)',
    ]);
  });

  it('write numbers with three digits', () => {
    expect([12_345.6, 99.94, 7, 0.5, 0.0123].map(shortNumber)).toEqual(['12,346', '99.9', '7', '0.5', '0.0123']);
  });
});

describe('targets', () => {
  const rows = [
    { label: 'raw', figures: { ms: { median: 10, ratio: 1 } } },
    { label: 'ours', figures: { ms: { median: 12, ratio: 1.2 } } },
    { label: 'peer', figures: { ms: { median: 30, ratio: 3 } } },
  ];
  const isReached = (target) => target.judge(rows)?.isReached;

  it('are reached at the very limit and missed beyond it', () => {
    expect([atMost('ours', 'ms', 1.2), atMost('ours', 'ms', 1.19)].map(isReached)).toEqual([true, false]);
    expect([atLeast('ours', 'ms', 1.2), atLeast('ours', 'ms', 1.21)].map(isReached)).toEqual([true, false]);
    expect([limit('ours', 'ms', 12, 'ms'), limit('ours', 'ms', 11, 'ms')].map(isReached)).toEqual([true, false]);
    expect([timesRow('peer', 'ms', 2.5, 'ours'), timesRow('peer', 'ms', 2.6, 'ours')].map(isReached)).toEqual([
      true,
      false,
    ]);
    const within = (allowance) => withinOf('ours', 'ms', { other: 'raw', allowance, unit: 'ms' });
    expect([within(2), within(1)].map(isReached)).toEqual([true, false]);
    expect(isReached(leastOf('ours', 'ms', { but: ['raw'], unit: 'ms' }))).toBe(true);
    expect(isReached(leastOf('ours', 'ms', { but: [], unit: 'ms' }))).toBe(false);
  });

  it('say nothing of what was not measured', () => {
    expect(atMost('ours', 'rate', 1).judge(rows)).toBeUndefined();
    expect(limit('nobody', 'ms', 1, 'ms').judge(rows)).toBeUndefined();
    expect(timesRow('ours', 'ms', 1, 'nobody').judge(rows)).toBeUndefined();
  });
});

describe('documents', () => {
  it('name the machine, the day and the command', () => {
    const text = summary(RESULT);
    expect(text).toContain('2026-01-31');
    expect(text).toContain('`npm run bench`');
    expect(text).toContain('2 cores, 8 GB, Node v20.19.0; server on core 0, driver on core 1');
    expect(text).toContain(
      '| HTTP `tools/call`, `2025-11-25`: rate | 90 % | – | – | – | – | – | ≥ 85 % of raw: reached |',
    );
  });

  it('hold every table', () => {
    const document = resultsDocument(RESULT);
    for (const { id, title } of RESULT.tables) expect(document).toContain(`## ${id}: ${title}`);
  });

  it('replace only what is between the markers', () => {
    const before = 'one\n<!-- speed -->\nold\n<!-- /speed -->\ntwo';
    expect(replaceBlock(before, 'new')).toBe('one\n<!-- speed -->\nnew\n<!-- /speed -->\ntwo');
  });

  it('get a section of their own where there are no markers', () => {
    const after = replaceBlock('one\n\n## More\n\n- two\n', 'new');
    expect(after).toBe('one\n\n## Speed\n\n<!-- speed -->\nnew\n<!-- /speed -->\n\n## More\n\n- two\n');
    expect(replaceBlock(after, 'newer')).toBe(after.replace('new', 'newer'));
    expect(() => replaceBlock('nothing', 'new')).toThrow('README.md has neither <!-- speed -->');
  });
});

describe('the drawing', () => {
  it('holds a bar for every subject that was measured, a line for every series, and no unescaped text', () => {
    const svg = drawChart(RESULT);
    expect(svg.match(/class="bar /g)).toHaveLength(1);
    expect(svg.match(/<polyline /g)).toHaveLength(2);
    expect(svg).toContain('90 %');
    expect(svg).toContain('Fast &amp; &lt;new&gt;');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(svg).toContain('prefers-color-scheme:dark');
  });
});
