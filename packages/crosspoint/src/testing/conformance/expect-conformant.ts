import type { JsonObject } from '../../jsonrpc/message.ts';
import { revisions } from '../../revisions/index.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { Connectable } from '../linked.ts';
import { CALL_RULES } from './call-rules.ts';
import { COUNTER_OFFER, ENVELOPE_RULES } from './envelope-rules.ts';
import { LIST_RULES } from './list-rules.ts';
import { MESSAGE_RULES } from './message-rules.ts';
import { open, OPENING } from './opening.ts';
import { Probe } from './probe.ts';
import { ConformanceError, type CheckOutcome, type ConformanceReport } from './report.ts';
import { Broken, NothingToCheck, type CheckContext, type Rule } from './rule.ts';

export interface ConformanceOptions {
  /** The revisions to try, by id; all when absent. Revisions that the server does not speak are left out, unless it speaks none. */
  revisions?: readonly string[];
  /**
   * Arguments with which tools may be called, by tool: one set, or several. Only these tools are called: with each set and, to see the call fail,
   * without the first required argument.
   */
  examples?: Readonly<Record<string, JsonObject | readonly JsonObject[]>>;
  /** Ids of rules that are not checked. */
  skip?: readonly string[];
  /** Also fails on rules that the protocol only recommends. */
  strict?: boolean;
  /** Most pages of a list; 1,000 when absent. */
  maxPages?: number;
  /** Milliseconds that an answer may take; 10,000 when absent. */
  timeoutMs?: number;
}

/** A server that serves many connections, or a function that makes one for each. */
export type ConformanceSubject = Connectable | (() => Connectable | Promise<Connectable>);

/** All rules in the order in which they are checked. Some judge every message received before, so these come last. */
const RULES: readonly Rule[] = [...LIST_RULES, ...CALL_RULES, ...ENVELOPE_RULES, ...MESSAGE_RULES];

/** The rules that are checked, for documentation and for `skip`. */
export const conformanceRules: readonly Pick<Rule, 'id' | 'text' | 'level'>[] = [OPENING, COUNTER_OFFER, ...RULES];

/**
 * Checks a server against the rules of the protocol, in every revision that it speaks, over memory. Resolves with a report; rejects with
 * `ConformanceError` when a rule is broken. Tools are called only with the given examples.
 */
export async function expectConformant(
  subject: ConformanceSubject,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const tried = revisions.filter(({ id }) => options.revisions?.includes(id) ?? true);
  const outcomes: CheckOutcome[] = [];
  const spoken: string[] = [];
  for (const revision of tried) {
    const found = await checkRevision(subject, revision, options);
    outcomes.push(...found.outcomes);
    if (found.isSpoken) spoken.push(revision.id);
  }
  const broken = outcomes.filter(
    ({ outcome, level }) => outcome === 'broken' && (level === 'must' || options.strict === true),
  );
  const advice = outcomes.filter(({ outcome, level }) => outcome === 'broken' && level === 'should');
  const report = { revisions: spoken, outcomes, broken, advice };
  if (broken.length > 0 || spoken.length === 0) throw new ConformanceError(report);
  return report;
}

interface Checked {
  readonly isSpoken: boolean;
  readonly outcomes: readonly CheckOutcome[];
}

async function checkRevision(
  subject: ConformanceSubject,
  revision: Revision,
  options: ConformanceOptions,
): Promise<Checked> {
  const connect = async (): Promise<Probe> =>
    Probe.connect(typeof subject === 'function' ? await subject() : subject, revision, options.timeoutMs ?? 10_000);
  const isWanted = ({ id }: Rule): boolean => options.skip?.includes(id) !== true;
  const probe = await connect();
  try {
    const opened = await open(probe);
    if (opened === undefined) return { isSpoken: false, outcomes: [] };
    probe.opened = opened;
    const outcomes = [await outcomeOf(OPENING, contextOf(probe, revision, options))];
    for (const rule of RULES.filter(isWanted))
      outcomes.push(await outcomeOf(rule, contextOf(probe, revision, options)));
    if (isWanted(COUNTER_OFFER)) {
      const second = await connect();
      outcomes.push(await outcomeOf(COUNTER_OFFER, contextOf(second, revision, options)));
      await second.close();
    }
    return { isSpoken: true, outcomes };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { isSpoken: false, outcomes: [told(OPENING, revision, 'broken', error.message)] };
  } finally {
    await probe.close();
  }
}

function contextOf(probe: Probe, revision: Revision, options: ConformanceOptions): CheckContext {
  const examples = Object.entries(options.examples ?? {}).map(([name, given]) => [name, [given].flat()] as const);
  return {
    probe,
    revision,
    examples: Object.fromEntries(examples),
    maxPages: options.maxPages ?? 1000,
  };
}

async function outcomeOf(rule: Rule, context: CheckContext): Promise<CheckOutcome> {
  try {
    await rule.check(context);
    return told(rule, context.revision, 'kept', undefined);
  } catch (error) {
    if (error instanceof NothingToCheck) return told(rule, context.revision, 'not-checked', error.message);
    if (error instanceof Broken) return told(rule, context.revision, 'broken', error.message);
    throw error;
  }
}

function told(rule: Rule, { id }: Revision, outcome: CheckOutcome['outcome'], why: string | undefined): CheckOutcome {
  return { rule: rule.id, text: rule.text, level: rule.level, revision: id, outcome, why };
}
