// Words that the three servers of this folder share, so that what clients see of them differs only where the SDKs do.
export const INSTRUCTIONS = 'Ask add to add.';
export const NAMES = ['Ada', 'Alan', 'Grace'];
export const IDS = ['one', 'two', 'three'];
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const text = (value) => ({ content: [{ type: 'text', text: value }] });
export const form = (message, field) => ({
  message,
  requestedSchema: { type: 'object', properties: { [field]: { type: 'string', title: field } }, required: [field] },
});
export const NAME = form('Your name?', 'name');
export const COLOUR = form('Your colour?', 'colour');
export const TOPIC = form('About what?', 'topic');
export const POEM = {
  messages: [{ role: 'user', content: { type: 'text', text: 'A poem, please.' } }],
  systemPrompt: 'You are a poet.',
  maxTokens: 50,
};
export const PAGE = { message: 'Please pay.', url: 'https://example.com/pay?order=7' };

/** A result with every kind of content, and metadata that only the two ends know. */
export const RICH = {
  content: [
    { type: 'text', text: 'rich', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'resource_link', uri: 'memo://note', name: 'note', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'memo://inside', mimeType: 'text/plain', text: 'inside' } },
  ],
  _meta: { 'example.com/trace': { hops: 1 } },
};

export const STEPS = [1, 2, 3];
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
