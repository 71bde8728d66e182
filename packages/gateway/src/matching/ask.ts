import type { Outcome } from 'crosspoint/client';

/** A question that both families have. */
export type Ask = Extract<Outcome, { kind: 'input-required' }>['asks'][string];

/** The capability by which a client can be asked each of them. */
export const ASKED_BY: Readonly<Record<Ask['method'], 'elicitation' | 'sampling' | 'roots'>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Requests during which a client of the per-request family can be asked. */
const ASKING: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export function mayAsk(method: string): boolean {
  return ASKING.has(method);
}
