import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { ToolIndex } from '../../src/search/tool-index.ts';
import { SERVERS, listingOf, smallCatalogue, toolOf } from './small-catalogue.ts';

const open: ToolIndex[] = [];
afterEach(() => open.splice(0).forEach((index) => index.close()));

function indexOf(catalogue: Catalogue): ToolIndex {
  const index = new ToolIndex(catalogue);
  open.push(index);
  return index;
}

const names = (index: ToolIndex, query: string): string[] => index.rank(query).map(({ name }) => name);

describe('ranking', () => {
  const index = new ToolIndex(smallCatalogue());

  it.each([
    ['send an email to Ada', 'mail__send_message'],
    ['find the mail of my landlord', 'mail__search_messages'],
    ['attach the contract', 'mail__add_attachment'],
    ['new appointment on Monday', 'calendar__createEvent'],
    ['when is everybody free', 'calendar__findFreeSlots'],
    ['rename a file', 'files__move-file'],
    ['make a folder', 'files__make-directory'],
    ['remove the file', 'files__delete-file'],
    ['report a bug', 'tickets__create'],
    ['assignee', 'tickets__assign'],
    ['is it going to rain, weather in Turin', 'weather__forecast'],
    ['appointmant on Monday', 'calendar__createEvent'],
    ['forec', 'weather__forecast'],
    ['http status', 'weather__HTTPStatusOfService'],
    ['createEvent', 'calendar__createEvent'],
    ['read-file', 'files__read-file'],
    ['set_volume', 'music__set_volume'],
  ])('%s', (query, first) => {
    expect(names(index, query)[0]).toBe(first);
  });

  it('finds words of scripts without spaces', () => {
    expect(index.rank('天気')[0]?.server).toBe('天気');
    expect(names(index, '天気予報は')).toHaveLength(2);
  });

  it('counts the instructions of a server for its tools alone, and a little', () => {
    const catalogue = new Catalogue();
    const tool = toolOf('open', { description: 'Open the thing with this number.' });
    catalogue.set('a', listingOf([tool]));
    catalogue.set('b', listingOf([tool], 'Everything about invoices.'));
    const [first, second] = indexOf(catalogue).rank('open the invoice');
    expect([first?.server, second?.server]).toEqual(['b', 'a']);
    expect((first?.score ?? 0) / (second?.score ?? 1)).toBeLessThan(1.2);
    expect(indexOf(catalogue).rank('invoice')).toEqual([]);
  });

  it('finds nothing for nothing', () => {
    for (const query of ['', '   ', 'the of and', '!?', 'zzzzzzzz']) expect(index.rank(query)).toEqual([]);
  });

  it('puts equal tools in the order of their names', () => {
    const catalogue = new Catalogue();
    for (const server of ['c', 'a', 'b'])
      catalogue.set(server, listingOf([toolOf('ping', { description: 'Ping it.' })]));
    expect(names(indexOf(catalogue), 'ping')).toEqual(['a__ping', 'b__ping', 'c__ping']);
  });
});

describe('following the catalogue', () => {
  it('has what joins, changes and leaves', () => {
    const catalogue = smallCatalogue();
    const index = indexOf(catalogue);
    expect(names(index, 'translate')).toEqual([]);
    catalogue.set('words', listingOf([toolOf('translate', { description: 'Translate a text.' })]));
    expect(names(index, 'translate')).toEqual(['words__translate']);
    catalogue.set('words', listingOf([toolOf('translate', { description: 'Count syllables.' })]));
    expect(names(index, 'syllable')).toEqual(['words__translate']);
    expect(names(index, 'text')).not.toContain('words__translate');
    catalogue.remove('words');
    expect(names(index, 'translate')).toEqual([]);
  });

  proves('M-APP-010').it('leaves out tools that are for apps alone', () => {
    const catalogue = new Catalogue();
    catalogue.set('a', listingOf([{ ...toolOf('paint'), _meta: { ui: { visibility: ['app'] } } }]));
    expect(names(indexOf(catalogue), 'paint')).toEqual([]);
  });

  it('ranks as an index that is made anew, whatever happened before', () => {
    const servers = Object.keys(SERVERS);
    const step = fc.record({
      server: fc.constantFrom(...servers),
      keeps: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      note: fc.constantFrom(undefined, 'Rename the folder of the weather.'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const catalogue = smallCatalogue();
        const index = indexOf(catalogue);
        index.rank('file');
        for (const { server, keeps, note } of steps) {
          const tools = (SERVERS[server]?.tools ?? []).filter((_, at) => keeps[at]);
          catalogue.set(
            server,
            listingOf(tools.map((tool) => (note === undefined ? tool : { ...tool, description: note }))),
          );
          index.rank('file');
        }
        for (const query of ['rename a file', 'weather in the folder', 'send mail']) {
          const fresh = indexOf(catalogue).rank(query);
          const score = new Map(fresh.map((one) => [one.name, one.score]));
          const followed = index.rank(query);
          expect(followed.length).toBe(fresh.length);
          for (const one of followed) expect(one.score).toBeCloseTo(score.get(one.name) ?? NaN, 8);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('reads one server again, and not the others, after a change of one', () => {
    const catalogue = smallCatalogue();
    const index = indexOf(catalogue);
    index.rank('file');
    const read: string[] = [];
    const toolsOf = catalogue.toolsOf.bind(catalogue);
    catalogue.toolsOf = (server) => {
      read.push(server);
      return toolsOf(server);
    };
    index.rank('mail');
    expect(read).toEqual([]);
    catalogue.set('music', listingOf([toolOf('stop')]));
    catalogue.markStale('music');
    expect(names(index, 'stop')).toContain('music__stop');
    expect(read).toEqual(['music']);
  });
});

describe('texts of hostile servers', () => {
  const everyWord = Object.values(SERVERS)
    .flatMap(({ tools }) => tools.map(({ name, description }) => `${name} ${description}`))
    .join(' ');

  it('stuffed with every word, win nothing that another tool is for', () => {
    const catalogue = smallCatalogue();
    const stuffed = Array.from({ length: 50 }, (_, at) =>
      toolOf(`best${at}`, {
        title: everyWord,
        description: `${everyWord} `.repeat(50),
        takes: { [everyWord.slice(0, 500)]: everyWord },
      }),
    );
    catalogue.set('evil', listingOf(stuffed, everyWord.repeat(20)));
    const index = indexOf(catalogue);
    for (const [query, first] of [
      ['send an email to Ada', 'mail__send_message'],
      ['rename a file', 'files__move-file'],
      ['find free time for a meeting', 'calendar__findFreeSlots'],
      ['play a song', 'music__play_song'],
    ] as const)
      expect(names(index, query)[0]).toBe(first);
  });

  it('gain nothing by saying a word often', () => {
    const catalogue = new Catalogue();
    catalogue.set('a', listingOf([toolOf('one', { description: 'Pay a bill.' })]));
    catalogue.set('b', listingOf([toolOf('two', { description: `Pay a bill. ${'pay bill '.repeat(300)}` })]));
    const [first, second] = indexOf(catalogue).rank('pay the bill');
    expect([first?.server, second?.server]).toEqual(['a', 'b']);
    expect(first?.score).toBeCloseTo(second?.score ?? 0, 8);
  });

  it('of any kind are indexed and left again without an error', () => {
    const catalogue = new Catalogue();
    const index = indexOf(catalogue);
    const odd = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '\u0000', '\ud800', 'a'.repeat(100_000)];
    const schemas = [
      {},
      { properties: null },
      { properties: [] },
      { properties: { a: null, b: 7, c: { enum: [1, null] } } },
    ];
    const tools = odd.flatMap((name, at) => [
      toolOf(name, { title: name, description: name, takes: { [name]: name } }),
      { name: `${at}`, description: 7, title: {}, annotations: { title: [] }, inputSchema: schemas[at % 4] } as never,
    ]);
    catalogue.set('odd', listingOf(tools));
    for (const query of [...odd, odd.join(' ')]) expect(() => index.rank(query)).not.toThrow();
    expect(names(index, 'constructor')[0]).toBe('odd__constructor');
    catalogue.remove('odd');
    expect(index.rank('constructor')).toEqual([]);
  });
});
