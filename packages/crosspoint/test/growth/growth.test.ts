import { describe, expect, it } from 'vitest';
import { stepsOf } from './meter.ts';
import { CONTENT_TARGETS } from './content-targets.ts';
import { TRANSPORT_TARGETS } from './transport-targets.ts';
import type { Target } from './target.ts';

/** What every target is given, repeated. */
const ATOMS = Array.from('a -=:/.%"\\{[,\n');
/** A multiple of four, so that what is read as base64 is so at every length. */
const SMALL = 256;
const DOUBLINGS = 3;
/** Beyond this, a doubling costs more than the double. What is done once makes it less, never more. */
const PER_DOUBLING = 2.2;
/** For all shapes of a target together, where the growth of one is thinned by the others. */
const PER_DOUBLING_OF_ALL = 2.05;

interface Shape {
  readonly name: string;
  readonly make: (length: number) => string;
}

function shapesOf({ atoms = [], only, around = [['', '']] }: Target): readonly Shape[] {
  return around.flatMap(([before, after]) =>
    [...new Set(only ?? [...ATOMS, ...atoms])].map((atom) => ({
      name: `${JSON.stringify(before)} ${JSON.stringify(atom)}* ${JSON.stringify(after)}`,
      make: (length: number) => before + atom.repeat(Math.ceil(length / atom.length)) + after,
    })),
  );
}

function growthOf({ run }: Target, shapes: readonly Shape[]): number {
  const steps = (length: number): number => {
    const texts = shapes.map(({ make }) => make(length));
    return stepsOf(() => texts.forEach((text) => quietly(() => run(text))));
  };
  return steps(SMALL * 2 ** DOUBLINGS) / steps(SMALL);
}

/** Refusing is as good as accepting: only the work counts. */
function quietly(run: () => unknown): void {
  try {
    run();
  } catch {
    // See above.
  }
}

/** The shapes on which the work grows faster than the text. Each is measured by itself only where all together are suspicious. */
function faults(target: Target): readonly string[] {
  const shapes = shapesOf(target);
  if (growthOf(target, shapes) <= PER_DOUBLING_OF_ALL ** DOUBLINGS) return [];
  const grown = shapes.map((shape) => ({ name: shape.name, growth: growthOf(target, [shape]) }));
  return grown
    .filter(({ growth }) => growth > PER_DOUBLING ** DOUBLINGS)
    .map(({ name, growth }) => `${name}: ${growth.toFixed(1)} times the steps for ${2 ** DOUBLINGS} times the text`);
}

describe('the work grows no faster than the text', () => {
  it.each(Object.entries({ ...TRANSPORT_TARGETS, ...CONTENT_TARGETS }))('%s', (_name, target) => {
    // Once without being counted: what is made on first use belongs to no text.
    quietly(() => target.run('a'));
    expect(faults(target)).toEqual([]);
  });

  it('and a parser of which that is not true is found out', () => {
    const trims: Target = { run: (text) => text.replaceAll(/-+$/g, ''), only: ['-', '='], around: [['', '!']] };
    expect(faults(trims)).toEqual([expect.stringMatching(/^"" "-"\* "!": [56]\d/)]);
    const copies: Target = {
      run: (text) => Array.from(text).reduce<string[]>((all, char) => [...all, char], []),
      only: ['a'],
    };
    expect(faults(copies)).toHaveLength(1);
  });
});
