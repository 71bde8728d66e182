/** Callbacks of session files: each driver has one go wrong, and then wants the recording to end in order. */
import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { readSession, recordSession } from '../../../recording/src/index.ts';
import type { Driver } from './server-callbacks.ts';

const note = { kind: 'note', text: 'a' } as const;
const HEADER = '{"kind":"session","format":"crosspoint-session","version":"1.0","started":"2026-01-01T00:00:00Z"}\n';

export const RECORDING: Readonly<Record<string, Driver>> = {
  'recording sink': async (fault) => {
    const session = recordSession(fault.in(() => {}));
    session.write(note);
    await fault.called();
    session.write(note);
    await session.close();
  },
  'recording stream': async (fault) => {
    const session = recordSession(fault.of(new PassThrough(), 'write'));
    session.write(note);
    await fault.called();
  },
  'recording onerror': async (fault) => {
    const session = recordSession(() => {}, { onerror: fault.in(() => {}) });
    session.write({ kind: 'note' } as never);
    await fault.called();
    expect((await session.close()).dropped).toBe(1);
  },
  'recording secrets': async (fault) => {
    fault.isOn = false;
    const session = recordSession(() => {}, { secrets: fault.in(() => ['secret']) });
    fault.isOn = true;
    session.write(note);
    await fault.called();
    fault.isOn = false;
    session.write(note);
    // A line is lost, and the count of it takes its place.
    expect(await session.close()).toEqual({ lines: 2, dropped: 1, isComplete: true });
  },
  'recording onbadline': async (fault) => {
    const session = await readSession(`${HEADER}bad\n{"kind":"note","at":1,"text":"a"}\n`, {
      onbadline: fault.in(() => {}),
    });
    const lines = [];
    for await (const line of session) lines.push(line);
    await fault.called();
    expect(lines).toHaveLength(1);
  },
};
