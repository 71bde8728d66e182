import { acceptedContent, createRequestStateCodec, inputRequired } from '@modelcontextprotocol/server';
import { answerSchema, asked, QUESTIONS } from '../tools.mjs';

/** Seals the state between rounds, which this library leaves to the author. */
export const stateCodec = createRequestStateCodec({ key: 'a key of at least thirty-two bytes' });

/** Asks in one round after the other, for both families: the number of answers so far travels with the question. */
export function registerAsk(server) {
  server.registerTool('ask', { description: 'Asks three times' }, async (ctx) => {
    const before = ctx.mcpReq.requestState()?.count ?? 0;
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'answer', answerSchema);
    const count = answer?.yes ? before + 1 : before;
    if (count === QUESTIONS.length) return asked(count);
    return inputRequired({
      inputRequests: { answer: inputRequired.elicit({ message: QUESTIONS[count], requestedSchema: answerSchema }) },
      requestState: await stateCodec.mint({ count }),
    });
  });
}
