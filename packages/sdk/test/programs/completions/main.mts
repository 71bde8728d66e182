import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { getDisplayName } from '@modelcontextprotocol/sdk/shared/metadataUtils.js';
import { say, refusal } from '../say.mjs';

const PEOPLE: Record<string, string[]> = { engineering: ['Ada', 'Alan', 'Grace'], kitchen: ['Auguste', 'Julia'] };
const startingWith = (value: string, words: string[]): string[] => words.filter((word) => word.startsWith(value));

const server = new McpServer({ name: 'directory', version: '1.0.0' });
server.registerPrompt(
  'invite',
  {
    title: 'Invitation',
    argsSchema: {
      department: completable(z.string(), (value) => startingWith(value, Object.keys(PEOPLE))),
      person: completable(z.string().describe('Who comes'), async (value, context) =>
        startingWith(value, PEOPLE[context?.arguments?.['department'] ?? ''] ?? []),
      ),
      occasion: z.string().optional(),
    },
  },
  ({ department, person }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Invite ${person} of ${department}` } }],
  }),
);
server.registerResource(
  'room',
  new ResourceTemplate('house://{floor}/{room}', {
    list: undefined,
    complete: {
      floor: () => ['ground', 'first'],
      room: (value, context) => startingWith(value, [`${context?.arguments?.['floor'] ?? 'any'}-hall`, 'attic']),
    },
  }),
  { title: 'A room' },
  (uri, variables) => ({ contents: [{ uri: uri.href, text: JSON.stringify(variables) }] }),
);
server.registerPrompt('plain', {}, () => ({ messages: [] }));

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'form', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

say('capability', client.getServerCapabilities()?.completions);
const prompt = { type: 'ref/prompt', name: 'invite' } as const;
const room = { type: 'ref/resource', uri: 'house://{floor}/{room}' } as const;
const ask = async (ref: typeof prompt | typeof room, name: string, value: string, known?: Record<string, string>) =>
  (await client.complete({ ref, argument: { name, value }, ...(known && { context: { arguments: known } }) }))
    .completion;
say('department', await ask(prompt, 'department', 'e'));
say('person', await ask(prompt, 'person', 'A', { department: 'engineering' }));
say('person elsewhere', await ask(prompt, 'person', 'A', { department: 'kitchen' }));
say('without a completer', (await ask(prompt, 'occasion', 'b')).values);
say('floor', await ask(room, 'floor', ''));
say('room', await ask(room, 'room', 'g', { floor: 'ground' }));
say(
  'unknown prompt',
  await refusal(client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } })).then(
    ({ code }: any) => code,
  ),
);
say('prompts', (await client.listPrompts()).prompts);
say(
  'invited',
  (await client.getPrompt({ name: 'invite', arguments: { department: 'kitchen', person: 'Julia' } })).messages,
);
say('read', (await client.readResource({ uri: 'house://ground/hall' })).contents);
say('display', [
  getDisplayName({ name: 'plain' }),
  getDisplayName({ name: 'titled', title: 'With a title' }),
  getDisplayName({ name: 'annotated', annotations: { title: 'By annotation' } }),
  getDisplayName({ name: 'both', title: 'Title', annotations: { title: 'Annotation' } }),
]);
await client.close();
say('done');
