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
