import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from './published-schema.ts';
import { blocks, choice, form, meta, plainSampling, roots, sampling, toolSampling, url } from './samples.ts';

const [newest, d, c, b, a] = revisions as [Revision, Revision, Revision, Revision, Revision];
const audio = sampling({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' });
const several = sampling([
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
]);

describe('which questions have words', () => {
  it.each([
    ['roots', roots, [newest, d, c, b, a]],
    ['plain sampling', plainSampling, [newest, d, c, b, a]],
    ['one block in an array', sampling([blocks[0]]), [newest, d, c, b, a]],
    ['sound', audio, [newest, d, c, b]],
    ['several blocks', several, [newest, d]],
    ['tools', toolSampling, [newest, d]],
    [
      'tools for a plain text',
      sampling({ type: 'text', text: 'a' }, { tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
      [newest, d],
    ],
    ['a tool block without tools', sampling({ type: 'tool_use', id: 'u', name: 'n', input: {} }), [newest, d]],
    ['a form', form, [newest, d, c]],
    ['a choice of several', choice, [newest, d]],
    ['an address', url, [newest, d]],
  ] as const)('%s', (_name, ask, speakers) => {
    expect(revisions.filter((revision) => revision.writeAsk(ask) !== undefined).map(({ id }) => id)).toEqual(
      speakers.map(({ id }) => id),
    );
  });

  proves('L-SCHEMA-016').it('have none for sampling with tools nor for addresses before 2025-11-25', () => {
    for (const revision of [c, b, a]) {
      expect(revision.writeAsk(toolSampling)).toBeUndefined();
      expect(revision.writeAsk(url)).toBeUndefined();
    }
  });
});

describe.each(revisions)('questions written for $id', (revision) => {
  const defs = publishedDefinitions(revision.id);
  it.skipIf(!defs)(defs ? 'use only published words' : `(skipped: ${noSchemas})`, () => {
    for (const ask of [
      form,
      choice,
      url,
      plainSampling,
      toolSampling,
      audio,
      several,
      sampling([blocks[0]]),
      { ...url, params: { mode: 'url', message: 'm', url: 'https://a.example' } },
    ]) {
      const written = revision.writeAsk(ask);
      const name = ask.method === 'elicitation/create' ? 'ElicitRequest' : 'CreateMessageRequest';
      const schema = defs?.[`${name}Params`] ?? defs?.[name]?.['properties'].params;
      if (written) expect(faults(defs ?? {}, schema, written.params)).toEqual([]);
    }
  });
});

describe('elicitation', () => {
  it('says its fields in the words of 2025-06-18', () =>
    expect(c.writeAsk(form)?.params).toEqual({
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', minLength: 1 },
          age: { type: 'integer', minimum: 0 },
          sure: { type: 'boolean', default: true },
          size: { type: 'string', enum: ['s', 'm'] },
          colour: { type: 'string', title: 'Colour', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
        },
        required: ['name'],
      },
    }));

  it('is sent as it is where nothing is in the way', () => {
    expect(newest.writeAsk(form)).toBe(form);
    expect(d.writeAsk(form)).toBe(form);
    expect(d.writeAsk(url)).toBe(url);
  });

  it('has an id for an address in 2025-11-25 and none in the per-request family', () => {
    const { elicitationId: _, ...params } = url.params;
    expect(newest.writeAsk(url)?.params).toEqual(params);
    expect(d.writeAsk({ method: 'elicitation/create', params })?.params).toEqual({
      ...params,
      elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('asks for no task but in 2025-11-25', () => {
    const ask = { method: form.method, params: { ...form.params, task: { ttl: 1 } } };
    expect(
      revisions.map((revision) => revision.writeAsk(ask)?.params).filter((params) => params && 'task' in params),
    ).toHaveLength(1);
    expect(d.writeAsk(ask)).toBe(ask);
  });

  it.each([{ oneOf: 'x' }, { oneOf: [1] }, { oneOf: [{ title: 'no value' }] }])(
    'cannot say a choice it does not understand: %j',
    (field) => {
      const ask = {
        method: 'elicitation/create' as const,
        params: { message: 'm', requestedSchema: { type: 'object', properties: { f: { type: 'string', ...field } } } },
      };
      expect(c.writeAsk(ask)).toBeUndefined();
    },
  );
});

describe('sampling', () => {
  const content = (revision: Revision, block: unknown): unknown =>
    (revision.writeAsk(sampling(block))?.params['messages'] as JsonObject[] | undefined)?.[0]?.['content'];

  it('unwraps an only block where there are no arrays', () => {
    expect(content(c, [blocks[0]])).toEqual(blocks[0]);
    expect(content(b, [blocks[0]])).toEqual({
      type: 'text',
      text: 'hello',
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect(content(d, [blocks[0]])).toEqual([blocks[0]]);
  });

  proves('L-SCHEMA-005').it('keeps _meta on messages and tool blocks in 2025-11-25', () => {
    const messages = [
      { role: 'user', content: (toolSampling.params['messages'] as JsonObject[])[0]?.['content'], _meta: meta },
    ];
    const written = d.writeAsk({ method: 'sampling/createMessage', params: { maxTokens: 1, messages } });
    expect(written?.params['messages']).toEqual(messages);
    const plain = {
      method: 'sampling/createMessage' as const,
      params: { maxTokens: 1, messages: [{ role: 'user', content: { type: 'text', text: 'a' }, _meta: meta }] },
    };
    expect(c.writeAsk(plain)?.params['messages']).toEqual([{ role: 'user', content: { type: 'text', text: 'a' } }]);
  });

  it('drops an empty set of tools', () =>
    expect(a.writeAsk(sampling({ type: 'text', text: 'a' }, { tools: [], toolChoice: { mode: 'none' } }))).toEqual(
      sampling({ type: 'text', text: 'a' }),
    ));

  it('does not say how a tool runs in the per-request family', () => {
    const ask = sampling([], {
      tools: [{ name: 't', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
      task: { ttl: 1 },
    });
    expect(newest.writeAsk(ask)).toEqual(sampling([], { tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
    expect(d.writeAsk(ask)).toEqual(ask);
  });

  it('withholds structure that is no object', () => {
    const ask = sampling([{ type: 'tool_result', toolUseId: 'u', content: [], structuredContent: [1] }], {
      tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }],
    });
    expect(d.writeAsk(ask)?.params).toMatchObject({
      messages: [{ content: [{ content: [{ type: 'text', text: '[1]' }] }] }],
      tools: [{ name: 't' }],
    });
    expect(d.writeAsk(ask)).not.toHaveProperty('params.tools.0.outputSchema');
    expect(newest.writeAsk(ask)).toEqual(ask);
  });
});
