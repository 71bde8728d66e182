// The counting itself: a function of the ledger, the test report and the list of deferred ids. Reads nothing, prints nothing.

export const LEVELS = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];

/** The tests of a vitest JSON report, with the titles of the blocks around them and the ids that `proves(…)` cited. */
export function testsOf(report) {
  return report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      title: [...test.ancestorTitles, test.title].join(' '),
      cites: test.meta?.requirements ?? [],
      status: test.status,
    })),
  );
}

export function isTestable(entry) {
  return entry.testable === 'unit' || entry.testable === 'integration';
}

/**
 * Only a test that passed proves anything, so only its ids count; but an id that is in no ledger is a mistake in any test.
 * `cited` of a row counts testable entries alone, so it never exceeds `testable`. Entries about user interfaces are counted by themselves (`ui`,
 * `uiCited`): a program with a screen can show them, a library alone cannot.
 */
export function countRequirements(entries, tests, deferred) {
  const known = new Set(entries.map((entry) => entry.id));
  const cited = new Set();
  const unknown = [];
  for (const { title, cites, status } of tests) {
    for (const id of cites) {
      if (!known.has(id)) unknown.push({ id, where: title });
      else if (status === 'passed') cited.add(id);
    }
  }
  for (const id of Object.keys(deferred)) {
    if (!known.has(id)) unknown.push({ id, where: 'deferred.json' });
  }
  const missing = entries.filter(
    (entry) => isTestable(entry) && !cited.has(entry.id) && !Object.hasOwn(deferred, entry.id),
  );
  return {
    rows: rowsOf(entries, cited, deferred),
    unknown,
    conflicts: [...cited].filter((id) => Object.hasOwn(deferred, id)),
    missing,
  };
}

function rowsOf(entries, cited, deferred) {
  const areas = [...new Set(entries.map((entry) => entry.area))];
  return areas.flatMap((area) =>
    LEVELS.flatMap((level) => {
      const all = entries.filter((entry) => entry.area === area && entry.level === level);
      if (all.length === 0) return [];
      const testable = all.filter(isTestable);
      const ui = all.filter((entry) => entry.testable === 'ui');
      return [
        {
          area,
          level,
          total: all.length,
          testable: testable.length,
          cited: testable.filter((entry) => cited.has(entry.id)).length,
          deferred: testable.filter((entry) => Object.hasOwn(deferred, entry.id)).length,
          ui: ui.length,
          uiCited: ui.filter((entry) => cited.has(entry.id)).length,
        },
      ];
    }),
  );
}
