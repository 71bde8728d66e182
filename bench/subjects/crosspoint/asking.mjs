import { answerSchema, asked, QUESTIONS } from '../tools.mjs';

/** One handler for both families. */
export function registerAsk(server) {
  server.registerTool('ask', { description: 'Asks three times' }, async (ctx) => {
    let count = 0;
    for (const message of QUESTIONS) {
      const answer = await ctx.elicit({ message, schema: answerSchema });
      if (answer.action === 'accept' && answer.content.yes) count += 1;
    }
    return asked(count);
  });
}
