import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionStream } from '../../../src/transports/http/server/sessions/session-stream.ts';
import { StreamsAtWork } from '../../../src/transports/http/server/sessions/streams-at-work.ts';

const id = fc.constantFrom<string | number>(0, 1, '1', 2, 'two');
const step = fc.record({ id, stream: fc.nat({ max: 2 }), isAdded: fc.boolean() });

describe('the streams of the requests that are worked on', () => {
  it('are found as in a map, and owe as many answers as they are in it, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const streams = ['a', 'b', 'c'].map(
          (name) =>
            new SessionStream(name, undefined, { nextName: () => '', onunanswered: () => {}, onproblem: () => {} }),
        );
        const atWork = new StreamsAtWork();
        const model = new Map<string | number, SessionStream>();
        for (const { id: one, stream: index, isAdded } of steps) {
          const stream = streams[index];
          if (!isAdded) {
            atWork.delete(one);
            model.delete(one);
          } else if (stream && !model.has(one)) {
            atWork.add(one, stream);
            model.set(one, stream);
          }
          expect(atWork.size).toBe(model.size);
          for (const any of [0, 1, '1', 2, 'two']) expect(atWork.get(any)).toBe(model.get(any));
          expect(new Set(atWork.streams())).toEqual(new Set(model.values()));
          for (const each of streams) {
            const ids = [...model].filter(([, held]) => held === each).map(([held]) => held);
            expect(new Set(atWork.idsOf(each))).toEqual(new Set(ids));
            expect(each.owed).toBe(ids.length);
          }
        }
      }),
    );
  });
});
