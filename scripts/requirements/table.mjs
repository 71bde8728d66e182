const GROUPS = [
  ['MUST', ['MUST', 'MUST NOT']],
  ['SHOULD', ['SHOULD', 'SHOULD NOT']],
  ['MAY', ['MAY']],
];

const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);

function cells(name, rows) {
  const groups = GROUPS.map(([, levels]) => rows.filter((row) => levels.includes(row.level)));
  const ratios = groups.map((group) => `${sum(group, 'cited')}/${sum(group, 'testable')}`);
  const ui = `${sum(rows, 'uiCited')}/${sum(rows, 'ui')}`;
  return [name, ...ratios, ui, String(sum(rows, 'deferred')), String(sum(rows, 'total'))];
}

/** One line per area: cited/testable for each group of levels, cited/all of user interfaces, then the deferred ones and the number of all entries. */
export function table(rows) {
  const areas = [...new Set(rows.map((row) => row.area))];
  const lines = [
    ['area', ...GROUPS.map(([name]) => name), 'ui', 'deferred', 'entries'],
    ...areas.map((area) =>
      cells(
        area,
        rows.filter((row) => row.area === area),
      ),
    ),
    cells('all', rows),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
    )
    .join('\n');
}

/** The testable MUSTs that no passing test cites. */
export function missingList(entries) {
  const musts = entries.filter((entry) => entry.level.startsWith('MUST'));
  if (musts.length === 0) return 'No testable MUST is uncited.';
  return musts
    .map((entry) => `${entry.id}  ${entry.level}  (${entry.role}, ${entry.testable})  ${entry.text}`)
    .join('\n');
}
