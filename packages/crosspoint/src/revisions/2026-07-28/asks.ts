import type { Ask } from '../../protocol/outcome.ts';
import { inItems, inSequence, without } from '../reducer.ts';

const elicitation = without('elicitationId', 'task');
const sampling = inSequence(without('task'), inItems('tools', without('execution')));

export function writeAsk(ask: Ask): Ask {
  if (ask.method === 'roots/list') return ask;
  const params = ask.method === 'elicitation/create' ? elicitation(ask.params) : sampling(ask.params);
  return params === ask.params ? ask : { method: ask.method, params };
}
