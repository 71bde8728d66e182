import fc from 'fast-check';

/** One thing that a tool does. Its words come from the name of the call and the place of the part, so that every run of it says the same. */
export type Part =
  | { readonly kind: 'ask' | 'decline' | 'sample' | 'roots' | 'two at once' }
  | { readonly kind: 'progress' | 'log' | 'touch' | 'grow' }
  | { readonly kind: 'pause'; readonly ms: number };

/** One call: what its tool does, and how it ends. A call that hangs is cancelled when its last progress arrives. */
export interface CallProgram {
  readonly parts: readonly Part[];
  readonly end: 'answer' | 'fail' | 'hang';
  /** Whether the client wants a task. One has no request on which progress and logs could be told, so it makes none. */
  readonly isTask?: boolean;
}

/** Calls that are made in turn, each turn with calls that are made at once. */
export type Conversation = readonly (readonly CallProgram[])[];

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('ask' as const, 'decline' as const, 'sample' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('roots' as const, 'two at once' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('progress' as const, 'log' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('touch' as const, 'grow' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(8) }) },
);

const direct: fc.Arbitrary<CallProgram> = fc.record({
  parts: fc.array(part, { maxLength: 5 }),
  end: fc.oneof(
    { weight: 5, arbitrary: fc.constant('answer' as const) },
    { weight: 1, arbitrary: fc.constant('fail' as const) },
    { weight: 2, arbitrary: fc.constant('hang' as const) },
  ),
});

const task: fc.Arbitrary<CallProgram> = fc.record({
  parts: fc.array(
    part.filter(({ kind }) => kind !== 'progress' && kind !== 'log'),
    { maxLength: 3 },
  ),
  end: fc.constantFrom('answer' as const, 'fail' as const),
  isTask: fc.constant(true),
});

const call = fc.oneof({ weight: 4, arbitrary: direct }, { weight: 1, arbitrary: task });

export const conversation: fc.Arbitrary<Conversation> = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});
