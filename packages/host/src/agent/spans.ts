import type { JsonObject } from '../values/json.ts';
import type { AgentHost, AgentSpan } from './run.ts';

const NO_SPAN: AgentSpan = { set: () => {} };

/** Runs the work as a span, where the host keeps a timeline; otherwise simply runs it. */
export async function inSpan<T>(
  host: AgentHost,
  kind: 'run' | 'model',
  facts: JsonObject,
  work: (span: AgentSpan) => Promise<T>,
): Promise<T> {
  return host.span === undefined ? work(NO_SPAN) : host.span(kind, facts, work);
}
