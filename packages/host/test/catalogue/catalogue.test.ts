import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { catalogueName, MAX_NAME, splitName } from '../../src/catalogue/names.ts';
import type { Listing } from '../../src/catalogue/listing.ts';

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
const offer = (...names: string[]): Listing => ({
  tools: names.map((name) => tool(name)),
  prompts: [],
  resources: [],
  templates: [],
});

describe('names', () => {
  it('are the names of server and tool, where those can stand in one', () => {
    expect(catalogueName('github', 'create_issue')).toBe('github__create_issue');
    expect(catalogueName('my-files_2', '_hidden')).toBe('my-files_2___hidden');
    expect(splitName('my-files_2___hidden')).toEqual({ server: 'my-files_2', item: '_hidden' });
  });

  it('are cut, cleaned and marked where they cannot', () => {
    expect(catalogueName('a b', 'x.y/z')).toMatch(/^a-b__x-y-z_x[a-z2-7]{16}$/);
    expect(catalogueName('s', 't'.repeat(62))).toMatch(/^s__t{43}_x[a-z2-7]{16}$/);
    expect(catalogueName('日本', '工具')).toMatch(/^-__-_x[a-z2-7]{16}$/);
    expect(splitName(catalogueName('a b', 'c'))).toBeUndefined();
  });

  it('cannot be taken by a server that gives its tool the marked name of another', () => {
    const victim = catalogueName('my.files', 'read');
    const thief = victim.slice('my-files__'.length);
    expect(catalogueName('my-files', thief)).not.toBe(victim);
  });

  it('are different for different pairs, at most 64 characters, and safe for every API', () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.stringMatching(/^[a-c_x]{1,8}$/),
      fc.constantFrom('a', 'a_', '_a', 'a__b', 'b', '__'),
    );
    fc.assert(
      fc.property(word, word, word, word, (server, item, otherServer, otherItem) => {
        const name = catalogueName(server, item);
        expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(name.length).toBeLessThanOrEqual(MAX_NAME);
        const isSame = server === otherServer && item === otherItem;
        expect(name === catalogueName(otherServer, otherItem)).toBe(isSame);
        const parts = splitName(name);
        if (parts !== undefined) expect(parts).toEqual({ server, item });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a catalogue', () => {
  it('finds each tool by its name, and by the name of its server', () => {
    const catalogue = new Catalogue();
    catalogue.set('a', offer('read', 'write'));
    catalogue.set('b', offer('read'));
    expect(catalogue.tools().map(({ name }) => name)).toEqual(['a__read', 'a__write', 'b__read']);
    expect(catalogue.tool('b__read')).toMatchObject({ server: 'b', tool: { name: 'read' }, isStale: false });
    expect(catalogue.toolOf('a', 'write')?.name).toBe('a__write');
    expect(catalogue.tool('c__read')).toBeUndefined();
  });

  it('keeps the meaning of a name when servers join, change and leave', () => {
    const catalogue = new Catalogue();
    catalogue.set('a', offer('read'));
    const before = catalogue.tool('a__read');
    catalogue.set('a_b', offer('read', 'a__read'));
    catalogue.set('b', offer('read'));
    expect(catalogue.tool('a__read')).toBe(before);
    catalogue.remove('a_b');
    expect(catalogue.tool('a__read')).toBe(before);
    catalogue.set('a', offer('other'));
    expect(catalogue.tool('a__read')).toBeUndefined();
  });

  it('takes the first of two tools with one name, and says so', () => {
    const catalogue = new Catalogue();
    catalogue.set('a', { ...offer(), tools: [tool('x', { title: 'first' }), tool('x', { title: 'second' })] });
    expect(catalogue.tools().map((one) => one.tool.title)).toEqual(['first']);
    expect(catalogue.problems()).toEqual([
      { server: 'a', text: 'The tool "x" is listed twice: the first one is used.' },
    ]);
  });

  proves('M-APP-010').it('shows the model no tool that is for an app alone', () => {
    const catalogue = new Catalogue();
    const forWhom = (visibility: unknown) => ({ _meta: { ui: { visibility } } });
    catalogue.set('a', {
      ...offer(),
      tools: [
        tool('app', forWhom(['app'])),
        tool('model', forWhom(['model'])),
        tool('both'),
        tool('unclear', forWhom('model')),
        tool('none', forWhom([])),
      ],
    });
    expect(catalogue.tools().map((one) => one.tool.name)).toEqual(['model', 'both']);
    expect(catalogue.tool('a__app')).toMatchObject({ isForModel: false, isForApps: true });
    expect(catalogue.tool('a__model')).toMatchObject({ isForModel: true, isForApps: false });
    expect(catalogue.tool('a__unclear')).toMatchObject({ isForModel: false, isForApps: false });
  });

  it('keeps the last listing of a server that is gone, as stale', () => {
    const catalogue = new Catalogue();
    const changes: string[] = [];
    const stop = catalogue.watch((server) => changes.push(server));
    catalogue.set('a', { ...offer('x'), instructions: 'Be brief.' });
    catalogue.markStale('a');
    catalogue.markStale('nobody');
    expect(catalogue.tool('a__x')?.isStale).toBe(true);
    expect(catalogue.instructions()).toEqual([{ server: 'a', text: 'Be brief.' }]);
    stop();
    catalogue.remove('a');
    expect(changes).toEqual(['a', 'a']);
    expect(catalogue.tools()).toEqual([]);
  });

  it('gives prompts under names, and resources under their addresses', () => {
    const catalogue = new Catalogue();
    const listing = { ...offer(), prompts: [{ name: 'review' }], resources: [{ uri: 'file:///a', name: 'a' }] };
    catalogue.set('one', listing);
    catalogue.set('two', { ...listing, templates: [{ uriTemplate: 'file:///{path}', name: 'files' }] });
    expect(catalogue.prompts().map(({ name }) => name)).toEqual(['one__review', 'two__review']);
    expect(catalogue.prompt('two__review')?.server).toBe('two');
    expect(catalogue.resources().map(({ server, resource }) => [server, resource.uri])).toEqual([
      ['one', 'file:///a'],
      ['two', 'file:///a'],
    ]);
    expect(catalogue.templates()).toHaveLength(1);
  });
});
