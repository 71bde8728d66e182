export interface LedgerEntry {
  readonly id: string;
  readonly area: string;
  readonly level: string;
  readonly testable: string;
}

export interface Row {
  readonly area: string;
  readonly level: string;
  readonly total: number;
  readonly testable: number;
  readonly cited: number;
  readonly deferred: number;
  /** Entries about user interfaces, and those of them that a passing test cites. */
  readonly ui: number;
  readonly uiCited: number;
}

export interface CountedTest {
  readonly title: string;
  readonly cites: readonly string[];
  readonly status: string;
}

export interface TestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly meta?: { readonly requirements?: readonly string[] };
    }[];
  }[];
}

export interface Count<Entry extends LedgerEntry> {
  readonly rows: readonly Row[];
  readonly unknown: readonly { readonly id: string; readonly where: string }[];
  readonly conflicts: readonly string[];
  readonly missing: readonly Entry[];
}

export const LEVELS: readonly string[];
export function testsOf(report: TestReport): CountedTest[];
export function isTestable(entry: LedgerEntry): boolean;
export function countRequirements<Entry extends LedgerEntry>(
  entries: readonly Entry[],
  tests: readonly CountedTest[],
  deferred: Readonly<Record<string, string>>,
): Count<Entry>;
