// The part of the conformance servers that needs no SDK: tools that answer at once, resources and prompts.
import { PNG, WAV } from '../server/media.mjs';
import { CONTACT, MIRRORED } from '../server/schemas.mjs';

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

const PLAIN = 'text/plain';
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, text, mimeType) => ({ type: 'resource', resource: { uri, mimeType, text } });
export const text = (value) => ({ content: [{ type: 'text', text: value }] });
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const LINES = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
export const EMPTY = { type: 'object', properties: {} };

/** Tools that answer at once, by name. The suite calls the first without arguments. */
export const PROMPT_TOOLS = {
  test_simple_text: { run: () => text('This is a simple text response for testing.') },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: () => ({ content: [embedded('test://embedded-resource', 'This is an embedded resource content.', PLAIN)] }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
      ],
    }),
  },
  test_error_handling: {
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  json_schema_2020_12_tool: { inputSchema: CONTACT, run: (contact) => text(`Called with: ${JSON.stringify(contact)}`) },
  test_x_mcp_header: { inputSchema: MIRRORED, run: ({ region = 'nowhere' }) => text(`The region is ${region}.`) },
};

const resource = (name, mimeType, data) => ({
  listed: { uri: `test://${name}`, name, description: name, mimeType },
  contents: { uri: `test://${name}`, mimeType, ...data },
});

/** The resources as they are listed, each with its contents. */
export const RESOURCES = [
  resource('static-text', PLAIN, { text: 'This is the content of the static text resource.' }),
  resource('static-binary', 'image/png', { blob: PNG }),
  resource('watched-resource', PLAIN, { text: 'Watched resource content' }),
  resource('example-resource', PLAIN, { text: 'Example resource content' }),
];
export const TEMPLATE = {
  uriTemplate: 'test://template/{id}/data',
  name: 'template',
  description: 'Data by id.',
  mimeType: 'application/json',
};

/** The contents of a resource; `undefined` where there is none. */
export function contentsOf(uri) {
  const known = RESOURCES.find(({ listed }) => listed.uri === uri);
  if (known !== undefined) return { contents: [known.contents] };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: TEMPLATE.mimeType, text: data }] };
}

const user = (content) => ({ role: 'user', content });
const said = (value) => user({ type: 'text', text: value });

/** The prompts, by name. */
export const PROMPTS = {
  test_simple_prompt: { args: [], run: () => ({ messages: [said('This is a simple prompt for testing.')] }) },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    run: ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    run: ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'Embedded resource content for testing.', PLAIN)),
        said('Please process it.'),
      ],
    }),
  },
  test_prompt_with_image: { args: [], run: () => ({ messages: [user(image), said('Please analyze the image.')] }) },
};
export const SUGGESTIONS = ['testing', 'tested'];
