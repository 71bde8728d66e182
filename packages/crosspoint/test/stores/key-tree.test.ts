import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyTree } from '../../src/stores/key-tree.ts';

const part = fc.constantFrom('', 'a', 'b', 'ab', ':', 'a:', '::', 'a:b:', 'b:a:b:a');
const key = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));

test('finds the keys that begin so, whatever was added and taken away before and since it was first asked', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ key, isAdded: fc.boolean() }), { maxLength: 40 }),
      key,
      fc.nat(40),
      (changes, prefix, from) => {
        const tree = new KeyTree();
        const plain = new Set<string>();
        for (const [index, { key, isAdded }] of changes.entries()) {
          if (index === from && !tree.covers(prefix)) for (const one of plain) tree.add(one);
          if (isAdded) tree.add(key);
          else tree.delete(key);
          if (isAdded) plain.add(key);
          else plain.delete(key);
        }
        if (!tree.covers(prefix)) for (const one of plain) tree.add(one);
        const found: string[] = [];
        tree.visit(prefix, (one) => found.push(one));
        expect(found.sort()).toEqual([...plain].filter((one) => one.startsWith(prefix)).sort());
      },
    ),
    { numRuns: 1000 },
  );
});

test('reads them in order, page by page, whatever was added and taken away in between', () => {
  const listed = fc.nat(30).map((number) => `task:l:owner:${number}`);
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('add', 'delete'), key: listed }),
    fc.record({ kind: fc.constant('read'), key: listed, limit: fc.nat(8) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const tree = new KeyTree();
      const plain = new Set<string>();
      tree.covers('task:l:owner:');
      for (const { kind, key, ...more } of steps) {
        if (kind === 'read') {
          const limit = 'limit' in more ? more.limit : 0;
          const page = tree.page('task:l:owner:', { after: key, limit }, (one) => plain.has(one));
          const all = [...plain].filter((one) => one > key).sort();
          expect(page).toEqual(all.slice(0, limit));
        } else if (kind === 'add') {
          if (!plain.has(key)) tree.add(key);
          plain.add(key);
        } else {
          plain.delete(key);
          tree.delete(key);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test('reads nothing in order whose prefix ends within a part or leads to several branches', () => {
  const tree = new KeyTree();
  for (const prefix of ['', 'task:', 'task:l:', 'task:l:own', 'task:l:owner:1', 'task:l:owner:x:'])
    expect(tree.page(prefix, { limit: 5 }, () => true)).toBeUndefined();
  expect(tree.page('task:l:owner:', { limit: 5 }, () => true)).toEqual([]);
});
