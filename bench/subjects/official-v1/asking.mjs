import { asked, QUESTIONS } from '../tools.mjs';

const requestedSchema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };

export function registerAsk(server) {
  server.registerTool('ask', { description: 'Asks three times' }, async () => {
    let count = 0;
    for (const message of QUESTIONS) {
      const answer = await server.server.elicitInput({ message, requestedSchema });
      if (answer.action === 'accept' && answer.content.yes) count += 1;
    }
    return asked(count);
  });
}
