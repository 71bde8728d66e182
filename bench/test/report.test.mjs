import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawChart } from '../report/chart.mjs';
import { shortNumber } from '../report/figures.mjs';
import { hopsTable, hasBridges } from '../report/hops.mjs';
import { replaceBlock, replaceNamed, resultsDocument } from '../report/save.mjs';
import { summary } from '../report/summary.mjs';
import { markdownTable, plainTable } from '../report/table.mjs';
import { atLeast, atMost, holdsUp, leastOf, limit, timesRow, withinOf } from '../workloads/targets.mjs';
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

  it('show growth with a row for every size, the exponents, and whether they were reached', () => {
    expect(plainTable(growth).split('\n')).toEqual([
      'a call, µs CPU',
      'tools      raw  crosspoint',
      '1           50  60 (×1.20)',
      '1,000       50  61 (×1.22)',
      'exponent  0.00        0.00',
      '',
      'reached: flat: exponent ≤ 0.15 (0.00) [cpu]',
    ]);
    expect(markdownTable(growth).split('\n').slice(0, 4)).toEqual([
      'a call, µs CPU:',
      '',
      '| tools | raw | crosspoint |',
      '| --- | ---: | ---: |',
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
    const mixed = [{ label: 'ours', figures: { early: { median: 100 }, late: { median: 90 } } }];
    const holding = (least) => holdsUp('ours', 'late', { of: 'early', least, when: 'before' }).judge(mixed);
    expect([holding(0.9), holding(0.91)].map((verdict) => verdict.isReached)).toEqual([true, false]);
    const within = (allowance) => withinOf('ours', 'ms', { other: 'raw', allowance, unit: 'ms' });
    expect([within(2), within(1)].map(isReached)).toEqual([true, false]);
    expect(isReached(leastOf('ours', 'ms', { but: ['raw'], unit: 'ms' }))).toBe(true);
    expect(isReached(leastOf('ours', 'ms', { but: [], unit: 'ms' }))).toBe(false);
  });

  it('say nothing of what was not measured', () => {
    expect(atMost('ours', 'rate', 1).judge(rows)).toBeUndefined();
    expect(limit('nobody', 'ms', 1, 'ms').judge(rows)).toBeUndefined();
    expect(timesRow('ours', 'ms', 1, 'nobody').judge(rows)).toBeUndefined();
    expect(holdsUp('ours', 'ms', { of: 'rate', least: 1, when: 'before' }).judge(rows)).toBeUndefined();
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

  it('show what a hop costs through each bridge, and which targets were missed', () => {
    const figures = (all) => ({
      oneAll: { median: all },
      manyAll: { median: all / 2 },
      oneP50: { median: 300 },
      manyRate: { median: 9000 },
    });
    const rows = [
      { label: 'direct', figures: figures(20) },
      { label: 'bare proxy', figures: figures(60) },
      { label: 'crosspoint', figures: figures(70) },
      { label: 'mcp-proxy', figures: {}, error: 'It ended.' },
    ];
    const targets = [
      { label: 'crosspoint', metric: 'oneAll', value: '1.25 ×', isReached: true },
      { label: 'crosspoint', metric: 'manyAll', value: '1.60 ×', isReached: false },
    ];
    const result = { ...RESULT, tables: [{ id: 'b1a', title: 'bridge: HTTP to HTTP', rows, targets }] };
    const lines = hopsTable(result).split('\n');
    expect(lines[1]).toContain('1 of 2 targets');
    expect(lines[1]).toContain('missed: b1a crosspoint, 64 in flight: 1.60 ×');
    expect(lines.slice(-3)).toEqual([
      '| HTTP to HTTP | bare proxy | 40 | 1.00 × | 300 | 20 | 1.00 × | 9,000 |',
      '| HTTP to HTTP | crosspoint | 50 | 1.25 × | 300 | 25 | 1.25 × | 9,000 |',
      '| HTTP to HTTP | mcp-proxy | failed |  |  |  |  |  |',
    ]);
    expect([hasBridges(result), hasBridges(RESULT)]).toEqual([true, false]);
  });

  it('have a place for every table that a run writes into the page on performance', () => {
    const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
    for (const name of ['bridge', 'missed', 'profile'])
      expect(replaceNamed(page, name, 'new')).toContain(`<!-- ${name} -->\n\nnew\n\n<!-- /${name} -->`);
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
