import type { ContentBlock } from 'crosspoint/client';
import { describe, expect, it } from 'vitest';
import { modelContent } from '../../src/context/model-content.ts';
import { checkPromptArguments, promptCommands } from '../../src/context/prompt-commands.ts';
import { findResources } from '../../src/context/resource-search.ts';

const resource = (name: string, more: object = {}) => ({
  server: 'files',
  resource: { uri: `file:///${name}`, name, ...more },
});

describe('findResources', () => {
  const all = [
    resource('budget.csv', { mimeType: 'text/csv', description: 'Money of the year', annotations: { priority: 0.1 } }),
    resource('logo.png', { mimeType: 'image/png', annotations: { audience: ['user'] } }),
    resource('plan.md', { mimeType: 'text/markdown', annotations: { priority: 1, audience: ['assistant'] } }),
    { ...resource('plan.md'), server: 'wiki' },
  ];
  const names = (filter: Parameters<typeof findResources>[1]) =>
    findResources(all, filter).map(({ server, resource: { name } }) => `${server} ${name}`);

  it('gives the most important first', () => {
    expect(names({})).toEqual(['files plan.md', 'files logo.png', 'wiki plan.md', 'files budget.csv']);
  });

  it.each([
    [{ query: 'YEAR money' }, ['files budget.csv']],
    [{ query: 'plan', server: 'wiki' }, ['wiki plan.md']],
    [{ mimeType: 'text/' }, ['files plan.md', 'files budget.csv']],
    [{ audience: 'assistant' as const }, ['files plan.md', 'wiki plan.md', 'files budget.csv']],
    [{ audience: 'user' as const, limit: 1 }, ['files logo.png']],
    [{ query: 'nothing' }, []],
  ])('chooses by %j', (filter, expected) => {
    expect(names(filter)).toEqual(expected);
  });
});

describe('modelContent', () => {
  const block = (text: string, annotations?: object) => ({
    server: 's',
    block: { type: 'text', text, ...(annotations && { annotations }) } as ContentBlock,
  });

  it('keeps what is for the user alone from the model', () => {
    const secret = block('for your eyes', { audience: ['user'] });
    const both = block('for both', { audience: ['user', 'assistant'] });
    expect(modelContent([secret, both, block('plain')])).toEqual({
      blocks: [both, block('plain')],
      forUser: [secret],
      leftOut: [],
    });
  });

  it('leaves out the least important where there is no room, and keeps the order', () => {
    const low = block('x'.repeat(100), { priority: 0 });
    const high = block('y'.repeat(100), { priority: 1 });
    const plain = block('z'.repeat(100));
    const { blocks, leftOut } = modelContent([low, plain, high], 380);
    expect(blocks).toEqual([plain, high]);
    expect(leftOut).toEqual([low]);
  });

  it('takes a priority that is no number for none', () => {
    const odd = block('odd', { priority: Number.NaN });
    expect(modelContent([odd, block('low', { priority: 0 })], 70).blocks).toEqual([odd]);
  });
});

describe('prompts', () => {
  const prompt = {
    name: 'review',
    title: 'Review\u0007 it',
    arguments: [{ name: 'code', required: true }, { name: 'tone' }],
  };
  const prompts = [
    { name: 'dev__review', server: 'dev', prompt },
    { name: 'ops__dev_status', server: 'ops', prompt: { name: 'dev_status' } },
  ];

  it('are commands, those that begin with the typed text first', () => {
    expect(promptCommands(prompts, '/dev').map(({ command }) => command)).toEqual(['/dev__review', '/ops__dev_status']);
    expect(promptCommands(prompts, 'review')).toMatchObject([
      {
        command: '/dev__review',
        title: 'Review\\u{7} it',
        arguments: [
          { name: 'code', isRequired: true },
          { name: 'tone', isRequired: false },
        ],
      },
    ]);
  });

  it('say which argument is missing or unknown before the server is asked', () => {
    expect(() => checkPromptArguments(prompt, {})).toThrow('The prompt review needs code.');
    expect(() => checkPromptArguments(prompt, { code: 'x', speed: '1' })).toThrow(
      'The prompt review has no argument speed; it has code, tone.',
    );
    expect(() => checkPromptArguments(prompt, { code: 'x' })).not.toThrow();
  });
});
