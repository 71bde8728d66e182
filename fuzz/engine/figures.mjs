/** The output of a run: each finding when it is made, and figures at the end. */
const MIB = 1024 * 1024;
const whole = (number) => Math.round(number).toLocaleString('en');
const size = (bytes) => (bytes ? `${whole(bytes / MIB)} MiB` : '–');

const COLUMNS = [
  ['target', ({ name }) => name],
  ['cases', ({ counts }) => whole(counts.cases ?? 0)],
  ['per second', ({ counts, seconds }) => whole((counts.cases ?? 0) / seconds)],
  ['crashes', ({ counts }) => whole(counts.crash ?? 0)],
  ['hangs', ({ counts }) => whole((counts.hang ?? 0) + (counts.slow ?? 0))],
  ['wrong recipient', ({ counts }) => whole(counts['wrong-recipient'] ?? 0)],
  ['server errors', ({ counts }) => whole(counts['server-error'] ?? 0)],
  ['broken rules', ({ counts }) => whole((counts['broken-rule'] ?? 0) + (counts.growth ?? 0) + (counts.harness ?? 0))],
  ['kept inputs', ({ kept }) => whole(kept)],
  [
    'memory',
    ({ memory }) => (memory.baseline ? `${size(memory.baseline)} → ${size(memory.after)}` : size(memory.after)),
  ],
  ['peak', ({ peakRss }) => size(peakRss)],
];

/** A table in Markdown, and one line that sums it up. */
export function figures(rows, { seed, seconds }) {
  const cells = [COLUMNS.map(([name]) => name), ...rows.map((row) => COLUMNS.map(([, read]) => read(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  const line = (values) =>
    `| ${values.map((value, column) => (column === 0 ? value.padEnd(widths[column]) : value.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const total = rows.reduce((sum, { counts }) => sum + (counts.cases ?? 0), 0);
  const findings = rows.reduce((sum, row) => sum + row.findings.length, 0);
  const [head, ...body] = cells;
  return [
    '',
    line(head),
    rule,
    ...body.map(line),
    '',
    `Fuzzing: ${whole(total)} cases of ${rows.length} targets in ${whole(seconds)} s with seed ${seed}, ${findings === 0 ? 'nothing found' : `${findings} found`}.`,
  ].join('\n');
}

const words = (faults) => faults.map(({ kind, what }) => `  ${kind}: ${what}`);

export function reportFinding(name, { faults, path }) {
  console.log(`FOUND by ${name}: npm run fuzz -- --replay ${path}\n${words(faults).slice(0, 3).join('\n')}`);
}

export function reportReplay({ file, faults, isPending }) {
  if (faults.length === 0)
    console.log(isPending ? `mended ${file}: take it off fuzz/corpus/pending.json` : `ok     ${file}`);
  else console.log(`${isPending ? 'known ' : 'FAIL  '} ${file}\n${words(faults).slice(0, 3).join('\n')}`);
}
