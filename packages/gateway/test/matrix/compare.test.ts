import { describe, expect, it } from 'vitest';
import { CLIENTS, nearest, seeDirectly } from './cells.ts';
import { compare, normalise } from './compare.ts';
import { IS_WHOLE } from './is-whole.ts';

const ALL = ['everything', 'one', 'two', 'ours:2025-03-26', 'ours:2025-11-25', 'ours:2026-07-28'];
const SERVERS = IS_WHOLE ? ALL : ['two'];

describe('the comparison', () => {
  it('names the place of each difference, and takes no notice of ids, times and members of the hop', () => {
    const direct = { call: { outcome: { content: [{ text: 'a' }], resultType: 'complete', _meta: {} } } };
    const bridged = {
      call: { outcome: { content: [{ text: 'b' }], _meta: { 'io.modelcontextprotocol/serverInfo': {} } } },
    };
    expect(compare(direct, bridged)).toEqual([
      { path: 'call › outcome › content › 0 › text', direct: 'a', bridged: 'b' },
    ]);
    expect(normalise({ id: 'x 1b4e28ba-2fa1-11d2-883f-0016d3cca427', at: '2026-07-28T10:00:00.000Z' })).toEqual({
      id: 'x <id>',
      at: '<time>',
    });
    expect(normalise({ _meta: { 'example.com/kept': 1, progressToken: 7 } })).toEqual({
      _meta: { 'example.com/kept': 1 },
    });
  });

  it('sees a missing member, a missing step and another order', () => {
    const found = compare({ a: { outcome: [1, 2] }, b: { outcome: 1 } }, { a: { outcome: [2, 1] } });
    expect(found.map(({ path }) => path)).toEqual(['a › outcome › 0', 'a › outcome › 1', 'b']);
  });
});

describe('without a bridge', () => {
  const cells = SERVERS.flatMap((server) => CLIENTS.map((client) => ({ client, server, carrier: 'stdio' as const })));
  const possible = cells.filter((cell) => nearest(cell) === cell.client);

  it.each(possible)('client $client sees server $server alike over stdio and HTTP', async (cell) => {
    const [stdio, http] = await Promise.all([seeDirectly(cell), seeDirectly({ ...cell, carrier: 'http' })]);
    expect(compare(stdio, http)).toEqual([]);
    expect(Object.keys(stdio).length).toBeGreaterThan(20);
  });
});
