/** A vitest reporter that says after a run which requirements the failed tests cite. */
export class CitedByFailures {
  onTestRunEnd(testModules) {
    const lines = testModules.flatMap((module) =>
      [...module.children.allTests('failed')].flatMap((test) => {
        const ids = test.meta().requirements ?? [];
        return ids.length === 0 ? [] : [`  ${ids.join(', ')}: ${test.fullName}`];
      }),
    );
    if (lines.length > 0) console.error(`Failed tests cite these requirements:\n${lines.join('\n')}\n`);
  }
}
