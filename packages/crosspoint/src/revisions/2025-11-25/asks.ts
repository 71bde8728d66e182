import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { inItems, inSequence, type Reducer } from '../reducer.ts';
import { withObjectSchemas, withObjectStructure } from './structured.ts';

const toolResult: Reducer = (block) => (block['type'] === 'tool_result' ? withObjectStructure(block) : block);

const sampling: Reducer = inSequence(inItems('tools', withObjectSchemas), inItems('messages', inBlocks(toolResult)));

export function writeAsk(ask: Ask): Ask {
  if (ask.method === 'sampling/createMessage') return withParams(ask, sampling(ask.params));
  if (ask.method === 'elicitation/create' && ask.params['mode'] === 'url')
    return withParams(ask, identified(ask.params));
  return ask;
}

/** Reduces the content of a sampling message, be it one block or several. */
export function inBlocks(reduce: Reducer): Reducer {
  const inSeveral = inItems('content', reduce);
  return (message) => {
    const { content } = message;
    if (!isJsonObject(content)) return inSeveral(message);
    const reduced = reduce(content);
    return reduced === content ? message : { ...message, content: reduced };
  };
}

export function withParams(ask: Ask, params: JsonObject): Ask {
  return params === ask.params ? ask : { method: ask.method, params };
}

/** Adds an `elicitationId`, which this revision alone requires. Code that reports the end of the elicitation passes its own id. */
function identified(params: JsonObject): JsonObject {
  return typeof params['elicitationId'] === 'string' ? params : { ...params, elicitationId: crypto.randomUUID() };
}
