// Every step with a client of the official SDK, of either version.
import { giveUp } from './steps.mjs';

/** The answers of a program to questions of our server. */
export const ANSWERS = {
  'elicitation/create': () => ({ action: 'accept', content: { colour: 'blue' } }),
  'sampling/createMessage': () => ({ role: 'assistant', content: { type: 'text', text: 'four' }, model: 'none' }),
  'roots/list': () => ({ roots: [{ uri: 'file:///peers', name: 'peers' }] }),
};
export const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

/**
 * @param {object} client connected
 * @param {(name: string, params?: object, options?: object) => Promise<object>} call of a tool
 * @param {unknown[]} logged the data of every log line that the client was sent
 */
export function officialSteps(client, call, logged) {
  const textOf = async (name) => (await call(name)).content[0].text;
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await call('measure')).structuredContent,
    read: async () => (await client.readResource({ uri: 'note:///one' })).contents[0].text,
    template: async () => (await client.readResource({ uri: 'page:///7' })).contents[0].text,
    prompt: async () => (await client.getPrompt({ name: 'greet', arguments: { who: 'you' } })).messages[0].content.text,
    complete: async () => {
      const ref = { type: 'ref/prompt', name: 'greet' };
      return (await client.complete({ ref, argument: { name: 'who', value: 'y' } })).completion.values;
    },
    progress: async () => {
      const seen = [];
      await call('count', {}, { onprogress: ({ progress }) => seen.push(progress) });
      return seen;
    },
    log: async () => {
      await client.setLoggingLevel('info');
      await call('tell');
      return logged;
    },
    asked: () => textOf('ask'),
    sampled: () => textOf('sample'),
    roots: () => textOf('roots'),
    cancelled: () => giveUp((signal) => call('wait', {}, { signal })),
    ping: async () => (await client.ping(), 'ok'),
  };
}
