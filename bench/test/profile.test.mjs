import { describe, expect, it } from 'vitest';
import { selfTime } from '../measure/self-time.mjs';
import { profileTables } from '../report/profile-tables.mjs';

const LIBRARY = 'file:///somewhere/node_modules/crosspoint/dist';
const node = (id, functionName, url) => ({ id, callFrame: { functionName, url, lineNumber: 6 } });
const PROFILE = {
  nodes: [
    node(1, '(idle)', ''),
    node(2, 'writev', ''),
    node(3, '(garbage collector)', ''),
    node(4, 'emit', 'node:events'),
    node(5, 'toText', `${LIBRARY}/chunks/shared.js`),
    node(6, 'callTool', `${LIBRARY}/server/index.js`),
    node(7, 'call', `${LIBRARY}/chunks/client.js`),
    node(8, 'parse', 'file:///somewhere/node_modules/zod/v4/core/parse.js'),
    node(9, 'lane', 'file:///somewhere/bench/measure/call-loop.mjs'),
  ],
  samples: [1, 2, 2, 3, 4, 5, 6, 7, 8, 9],
  timeDeltas: [5000, 100, 100, 100, 100, 200, 100, 100, 100, 100],
};

describe('where the time goes', () => {
  it('is told as shares of the time that was not spent waiting', () => {
    const { parts, functions } = selfTime(PROFILE);
    expect(Object.fromEntries(parts.map(({ name, share }) => [name, share]))).toEqual({
      'system calls': 0.2,
      garbage: 0.1,
      'Node: http, streams, events, timers': 0.1,
      JSON: 0.2,
      'this library: the server': 0.1,
      'this library: the client': 0.1,
      'the schema library': 0.1,
      'the program that is measured': 0.1,
    });
    expect(functions[0]).toEqual({ name: 'toText (chunks/shared.js:7)', share: 0.2 });
    expect(functions.map(({ name }) => name)).not.toContain('lane (measure/call-loop.mjs:7)');
  });

  it('is written as one table for all cases, the dearest part first', () => {
    const [one, other] = [
      {
        parts: [
          { name: 'JSON', share: 0.6 },
          { name: 'garbage', share: 0.004 },
        ],
        functions: [],
      },
      { parts: [{ name: 'garbage', share: 0.5 }], functions: [{ name: 'f (a.js:1)', share: 0.25 }] },
    ];
    const lines = profileTables([
      { title: 'A', ...one },
      { title: 'B', ...other },
    ]).split('\n');
    expect(lines).toContain('|  | A | B |');
    expect(lines.indexOf('| JSON | 60 % | <1 % |')).toBeLessThan(lines.indexOf('| garbage | <1 % | 50 % |'));
    expect(lines).toContain('| `f (a.js:1)` | 25 % |');
  });
});
