const percent = (share) => (share < 0.005 ? '<1 %' : `${Math.round(share * 100)} %`);
const row = (cells) => `| ${cells.join(' | ')} |`;
const LISTED = 10;

/** Self time by part, one column per case, the most expensive part first. */
export function partsTable(cases) {
  const names = [...new Set(cases.flatMap(({ parts }) => parts.map(({ name }) => name)))];
  const shareOf = ({ parts }, name) => parts.find((part) => part.name === name)?.share ?? 0;
  const total = (name) => cases.reduce((sum, one) => sum + shareOf(one, name), 0);
  return [
    row(['', ...cases.map(({ title }) => title)]),
    row(['---', ...cases.map(() => '---:')]),
    ...names
      .toSorted((a, b) => total(b) - total(a))
      .map((name) => row([name, ...cases.map((one) => percent(shareOf(one, name)))])),
  ].join('\n');
}

/**
 * One table of parts for all cases, and the functions of the library that take most in each.
 * @param {{ title: string, parts: { name: string, share: number }[], functions: { name: string, share: number }[] }[]} cases
 */
export function profileTables(cases) {
  const lines = [
    '# Where the time goes',
    '',
    'Self time by part, as shares of the time that Crosspoint was busy: `node bench/profile.mjs`. Inlined functions count with their callers.',
    '',
    partsTable(cases),
  ];
  for (const { title, functions } of cases) {
    lines.push('', `## ${title}`, '', '| function | share |', '| --- | ---: |');
    for (const { name, share } of functions.slice(0, LISTED)) lines.push(row([`\`${name}\``, percent(share)]));
  }
  return `${lines.join('\n')}\n`;
}
