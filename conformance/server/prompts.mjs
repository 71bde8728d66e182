import { completable, resourceContents } from 'crosspoint/server';
import { z } from 'zod';
import { PNG } from './media.mjs';

const user = (content) => ({ role: 'user', content });
const said = (text) => user({ type: 'text', text });

const suggest = (...values) => completable(z.string(), (typed) => values.filter((value) => value.startsWith(typed)));

export function registerPrompts(server) {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [said('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments.',
      argsSchema: { arg1: suggest('testing', 'tested'), arg2: z.string() },
    },
    ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource inside.', argsSchema: { resourceUri: z.string() } },
    ({ resourceUri }) => {
      const resource = resourceContents(resourceUri, 'Embedded resource content for testing.', 'text/plain');
      return { messages: [user({ type: 'resource', resource }), said('Please process the embedded resource above.')] };
    },
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => ({
    messages: [user({ type: 'image', data: PNG, mimeType: 'image/png' }), said('Please analyze the image above.')],
  }));
}
