import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Checks that the suite cannot carry out for any implementation, and why. Only a skipped check is ever excused, never a failed one. */
const SUITE_FAULTS = [
  {
    scenario: 'http-standard-headers',
    check: /^ClientMcpMethodHeader_(?:initialize|notifications_initialized)$/,
    reason: 'it looks for headers on two messages that this revision does not have',
  },
  {
    scenario: 'tasks-status-notifications',
    check: /./,
    reason: 'it is always skipped: the suite does not read the stream on which these notifications are sent',
  },
];

/** The checks that the suite wrote into a folder, by scenario. It has a folder of its own for each, named after it and the time. */
export function readChecks(folder) {
  const found = new Map();
  if (!existsSync(folder)) return found;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, scenario] =
      /^(?:authorization-server-|server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/.exec(
        path.replaceAll(sep, '/'),
      ) ?? [];
    if (scenario !== undefined) found.set(scenario, JSON.parse(readFileSync(join(folder, path), 'utf8')));
  }
  return found;
}

/**
 * Passed: at least one check succeeded, none failed or warned, and none was skipped that could have been made. Untestable: no check could be made.
 * `ended`: whether the suite itself succeeded, which includes the exit of the program under test.
 */
export function judge(scenario, checks, ended) {
  const of = (status) => (checks ?? []).filter((check) => check.status === status);
  const skipped = of('SKIPPED').map((check) => ({ ...check, fault: faultOf(scenario, check) }));
  const unexcused = skipped.filter(({ fault }) => fault === undefined);
  const counts = { ok: of('SUCCESS').length, failed: of('FAILURE').length, warned: of('WARNING').length };
  const problems = [...of('FAILURE'), ...of('WARNING'), ...unexcused].map(describe);
  if (checks === undefined) problems.push('The suite wrote no checks.');
  const untestable = problems.length + counts.ok === 0 && skipped.length > 0;
  if (counts.ok === 0 && checks !== undefined && !untestable)
    problems.push('Not one check succeeded: nothing was shown.');
  if (!ended && counts.failed + counts.warned === 0) problems.push('The program ended with an error, or too late.');
  const notes = [...new Set(skipped.map(({ fault }) => fault).filter((reason) => reason !== undefined))];
  return { ...counts, untestable, passed: problems.length === 0 && !untestable, problems, notes };
}

function faultOf(scenario, check) {
  return SUITE_FAULTS.find((fault) => fault.scenario === scenario && fault.check.test(check.name))?.reason;
}

function describe({ status, id, errorMessage, description }) {
  return `${status} ${id}: ${errorMessage ?? description ?? ''}`;
}
