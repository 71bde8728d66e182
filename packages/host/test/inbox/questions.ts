import type { InboxItem, Provenance, QuestionKind, Questions } from '../../src/index.ts';

export const FROM: Provenance = { server: 'shop', reason: 'The server asks for it.' };

/** One question of every kind. */
export const EVERY: { readonly [K in QuestionKind]: Questions[K]['question'] } = {
  start: { target: 'node server.mjs', warnings: ['It runs with your rights.'], isChanged: false },
  call: {
    tool: { name: 'pay', description: 'Pays', inputSchema: { type: 'object' } },
    arguments: { amount: 5 },
    decision: { effect: 'ask', reasons: [{ step: 'default', text: 'Tools are asked for.' }], reviewsResult: false },
    changes: [{ path: '/description', before: 'Reads', after: 'Pays' }],
  },
  result: { tool: 'pay', result: { content: [{ type: 'text', text: 'paid' }] } },
  form: {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name', minLength: 2 },
        age: { type: 'integer', minimum: 0 },
        plan: { type: 'string', enum: ['free', 'paid'], default: 'free' },
      },
      required: ['name'],
    },
  },
  url: { message: 'Pay there', url: 'https://pay.example.com/cart?id=1', host: 'pay.example.com', warnings: [] },
  sampling: {
    request: {
      messages: [{ role: 'user', content: { type: 'text', text: 'Write a poem' } }],
      systemPrompt: 'Be short',
      maxTokens: 50,
    },
  },
  sampled: {
    request: { messages: [], maxTokens: 50 },
    result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Roses' } },
  },
  roots: { roots: [{ uri: 'file:///home/a', name: 'a' }, { uri: 'file:///home/b' }] },
  login: { url: 'https://id.example.com/authorize', host: 'id.example.com', warnings: [], scopes: ['read'] },
  input: { id: 'key', title: 'The key', isSecret: true },
};

export const KINDS = Object.keys(EVERY) as QuestionKind[];

/** An item that waits in no inbox. */
export function itemOf<K extends QuestionKind>(
  kind: K,
  question: Questions[K]['question'] = EVERY[kind],
  from: Provenance = FROM,
): InboxItem<K> {
  return { id: 'x', kind, from, question, askedAt: 0, expiresAt: 1 } as object as InboxItem<K>;
}
