/** The result of one rule in one revision. */
export interface CheckOutcome {
  readonly rule: string;
  readonly text: string;
  readonly level: 'must' | 'should';
  readonly revision: string;
  readonly outcome: 'kept' | 'broken' | 'not-checked';
  /** The reason: how the rule was broken, or why there was nothing to check. */
  readonly why: string | undefined;
}

export interface ConformanceReport {
  /** The revisions that the server speaks, newest first. */
  readonly revisions: readonly string[];
  readonly outcomes: readonly CheckOutcome[];
  /** The rules whose breach fails the check. */
  readonly broken: readonly CheckOutcome[];
  /** Recommendations that the server does not follow. */
  readonly advice: readonly CheckOutcome[];
}

/** Thrown for a server that breaks rules of the protocol. The message names each rule, the revisions and what was seen. */
export class ConformanceError extends Error {
  override readonly name: string = 'ConformanceError';
  readonly report: ConformanceReport;

  constructor(report: ConformanceReport) {
    super(describeReport(report));
    this.report = report;
  }
}

/** One paragraph for each rule; the same fault in several revisions is told once. */
function describeReport({ broken, revisions }: ConformanceReport): string {
  if (revisions.length === 0 && broken.length === 0) return 'The server speaks none of the revisions that were tried.';
  const byFault = new Map<string, { outcome: CheckOutcome; in: string[] }>();
  for (const outcome of broken) {
    const key = `${outcome.rule}\n${outcome.why}`;
    const known = byFault.get(key);
    if (known) known.in.push(outcome.revision);
    else byFault.set(key, { outcome, in: [outcome.revision] });
  }
  const rules = new Set(broken.map(({ rule }) => rule)).size;
  const paragraphs = [...byFault.values()].map(
    ({ outcome, in: where }) =>
      `  ✗ ${outcome.rule} [${where.join(', ')}]\n      rule: ${outcome.text}\n      seen: ${outcome.why}`,
  );
  return [`The server breaks ${rules === 1 ? 'a rule' : `${rules} rules`} of the protocol:`, ...paragraphs].join('\n');
}
