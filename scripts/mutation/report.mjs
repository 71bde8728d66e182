// Reading of Stryker's JSON report: how many changes of a folder the tests notice, and which they do not.

/** Kinds of outcome that a report may name and that say nothing about the tests: the change was never tried. */
const UNTRIED = new Set(['Ignored', 'CompileError', 'RuntimeError', 'Pending']);

/**
 * @param {{ files: Record<string, { source: string, mutants: object[] }> }} report
 * @returns {{ killed: number, timeout: number, survived: number, uncovered: number, ignored: number, failed: number, score: number }}
 *   `score` in percent: killed and timed out, of all that were tried; changes without a test count as survivors.
 */
export function countsOf(report) {
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (wanted) => statuses.filter((status) => status === wanted).length;
  const tried = statuses.filter((status) => !UNTRIED.has(status)).length;
  const killed = count('Killed');
  const timeout = count('Timeout');
  return {
    killed,
    timeout,
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
    ignored: count('Ignored'),
    failed: count('RuntimeError') + count('CompileError'),
    score: tried === 0 ? 100 : (100 * (killed + timeout)) / tried,
  };
}

/** The changes that no test notices, one line each: place, kind, and the text before and after. */
export function survivorsOf(report) {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .toSorted((a, b) => a.location.start.line - b.location.start.line)
      .map(({ status, mutatorName, location, replacement }) => {
        const { line, column } = location.start;
        const before = oneLine(textBetween(source, location));
        const mark = status === 'NoCoverage' ? ' (no test)' : '';
        return `${file}:${line}:${column} ${mutatorName}${mark}: ${before} → ${oneLine(replacement)}`;
      }),
  );
}

/** The row of a folder in the table of docs/mutation.md. */
export function rowOf(name, { killed, timeout, survived, uncovered, score }) {
  return `| ${name} | ${killed + timeout + survived + uncovered} | ${killed} | ${timeout} | ${survived} | ${uncovered} | ${score.toFixed(1)} % |`;
}

function textBetween(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

function oneLine(text) {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 90 ? `${flat.slice(0, 87)}…` : flat;
}
