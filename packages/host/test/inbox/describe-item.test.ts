import { describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { describeItem } from '../../src/index.ts';
import { EVERY, itemOf, KINDS } from './questions.ts';

const shown = (item: Parameters<typeof describeItem>[0]): string => {
  const { title, lines } = describeItem(item);
  return [title, ...lines].join('\n');
};

proves('L-ELICITATION-026, L-ELICITATION-027, M-ELI-006').it.each(KINDS)(
  'a question of kind %s says which server asks, and why',
  (kind) => {
    const { title, lines } = describeItem(itemOf(kind));
    expect(title).toContain('The server "shop"');
    expect(lines.at(-1)).toBe('Why: The server asks for it.');
    expect(describeItem(itemOf(kind, undefined, { reason: 'x' })).title).toContain('The host');
  },
);

proves('L-ELICITATION-031, M-ELI-026, L-ELICITATION-015, M-ELI-014, M-ELI-007').it(
  'a form tells what is asked, for which call, with the defaults and the ways out',
  () => {
    const call = { id: 'c', tool: 'register', arguments: { club: 'chess' } };
    expect(describeItem(itemOf('form', EVERY.form, { server: 'shop', call, reason: 'It runs register.' }))).toEqual({
      title: 'The server "shop" asks you for information',
      lines: [
        'Who are you?',
        '  Your name (name) [required, text]',
        '  age [optional, integer]',
        '  plan [optional, free | paid, default free]',
        'You can decline (the server is told that you said no) or cancel. Do not give passwords or other secrets.',
        'Call: register',
        '  {',
        '    "club": "chess"',
        '  }',
        'Why: It runs register.',
      ],
    });
  },
);

describe('an address', () => {
  proves('L-ELICITATION-030, L-ELICITATION-059, M-ELI-009, M-ELI-033').it('is shown whole, with its host apart', () => {
    const url = `https://pay.example.com/${'a'.repeat(5000)}?end=1`;
    const { lines } = describeItem(itemOf('url', { ...EVERY.url, url, warnings: [] }));
    expect(lines.slice(0, 3)).toEqual(['Pay there', 'Host:    pay.example.com', `Address: ${url}`]);
  });

  proves('L-ELICITATION-061, M-ELI-035').it('that may deceive comes with a warning in words', () => {
    const of = (url: string): string => shown(itemOf('url', { ...EVERY.url, url, host: 'lies.example', warnings: [] }));
    expect(of('https://xn--pypal-4ve.com/')).toContain('Warning: the name of the host is written in letters');
    expect(of('https://bank.example@evil.example/')).toContain('Host:    evil.example\n');
    expect(of('https://bank.example@evil.example/')).toContain('Warning: a user name stands before the host');
    expect(of('http://pay.example/')).toContain('not encrypted');
    expect(of('https://10.0.0.1:8443/')).toContain('bare IP address');
    expect(of('javascript:alert(1)')).toContain('is not opened');
    expect(of('nothing')).toContain('(no valid address)');
    expect(shown(itemOf('login', { ...EVERY.login, warnings: ['It is new.'] }))).toContain('Warning: It is new.');
  });

  proves('L-ELICITATION-062, M-ELI-036').it('elsewhere in a form is text and no link', () => {
    const message = 'See \u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007 https://evil.example';
    const text = shown(itemOf('form', { ...EVERY.form, message }));
    expect(text).toContain('See \\u{1b}]8;;https://evil.example\\u{7}here');
    expect(text).not.toContain('\u001b');
  });
});

describe('texts of servers', () => {
  it('cannot act on a terminal or hide anything, whatever the kind', () => {
    const evil = 'a\u001b[2Jb\u202ec\u200bd\r\u0007';
    const items = [
      itemOf('form', {
        message: evil,
        requestedSchema: { type: 'object', properties: { [evil]: { type: 'string', title: evil, description: evil } } },
      }),
      itemOf('form', { message: '', requestedSchema: { type: 'object', properties: { [evil]: 5 } } }),
      itemOf('url', { ...EVERY.url, message: evil, warnings: [evil] }),
      itemOf('sampling', {
        request: {
          systemPrompt: evil,
          messages: [
            {
              role: evil,
              content: [
                { type: 'text', text: evil },
                { type: evil, mimeType: evil },
              ],
            },
          ],
          tools: [{ name: evil }],
        },
      }),
      itemOf('sampled', {
        request: {},
        result: { model: evil, role: 'assistant', content: { type: 'text', text: evil } },
      }),
      itemOf('call', { ...EVERY.call, tool: { name: evil, description: evil, inputSchema: { type: 'object' } } }),
      itemOf('call', {
        ...EVERY.call,
        arguments: { [evil]: evil },
        changes: [{ path: evil, before: evil, after: [evil] }],
      }),
      itemOf('result', { tool: evil, result: { [evil]: evil } }),
      itemOf('start', { target: evil, warnings: [evil], isChanged: true }),
      itemOf('roots', { roots: [{ uri: `file:///${evil}`, name: evil }] }),
      itemOf('login', { ...EVERY.login, scopes: [evil] }),
      itemOf('input', {
        id: 'k',
        title: evil,
        description: evil,
        isSecret: false,
        default: evil,
        options: [{ label: evil, value: evil }],
      }),
      itemOf('start', EVERY.start, {
        server: evil,
        reason: evil,
        call: { id: '1', tool: evil, arguments: { [evil]: 1 } },
      }),
    ];
    for (const item of items) {
      const { title, lines } = describeItem(item);
      for (const line of [title, ...lines]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('are cut where they are too long, and say so; a command never is', () => {
    const long = 'x'.repeat(100_000);
    for (const kind of ['form', 'url', 'sampling'] as const) {
      const request = { messages: [{ role: 'user', content: { type: 'text', text: long } }] };
      const item = itemOf(kind, { ...EVERY[kind], message: long, request } as never);
      expect(shown(item).length).toBeLessThan(10_000);
      expect(shown(item)).toContain('more characters)');
    }
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, { type: 'string' }]));
    expect(
      describeItem(itemOf('form', { message: '', requestedSchema: { type: 'object', properties } })).lines,
    ).toHaveLength(400);
    expect(shown(itemOf('start', { ...EVERY.start, target: long }))).toContain(long);
  });
});

proves('L-SAMPLING-010, M-SAMP-005').it('a request for a model shows the prompt and what goes along with it', () => {
  const lines = describeItem(itemOf('sampling')).lines;
  expect(lines.slice(0, 4)).toEqual([
    'Instructions: Be short',
    'user: Write a poem',
    'At most 50 tokens',
    'Context given along: none',
  ]);
  const request = { ...EVERY.sampling.request, includeContext: 'allServers' };
  expect(shown(itemOf('sampling', { request }))).toContain('Context given along: what every server has told');
  expect(describeItem(itemOf('sampled')).lines.slice(0, 2)).toEqual(['assistant: Roses', 'Model: m']);
});

it('a call shows what changed since it was allowed; a secret is never shown', () => {
  const text = shown(itemOf('call'));
  expect(text).toContain('Its definition has changed since you allowed it:\n  /description\n  - Reads\n  + Pays');
  expect(text).toContain('- Tools are asked for.');
  expect(shown(itemOf('input', { ...EVERY.input, default: 'hunter2' }))).not.toContain('hunter2');
});
