import { answerSchema, asked, QUESTIONS } from '../tools.mjs';

export function registerAsk(server) {
  server.tool({ name: 'ask', description: 'Asks three times', replayable: true }, async () => {
    let count = 0;
    for (const message of QUESTIONS) {
      const answer = await server.elicitation(message, answerSchema);
      if (answer.action === 'accept' && answer.content.yes) count += 1;
    }
    return asked(count);
  });
}
