import { expect, it } from 'vitest';
import { program, sdkOne, sdkTwo, type Subject } from './subjects.ts';

const CALLS = 100;

// Both generations drop progress that comes in one chunk with the result: without a gap between them, the last report of every call is lost.
// With it, 1 to 8 of 100 are, and 15 at worst on a machine with eight busy processes for each core.
it.each<[string, () => Promise<Subject>]>([
  ['SDK 1', () => sdkOne([program('small-server.mjs')])],
  ['SDK 2 with a handshake', () => sdkTwo([program('small-server.mjs')], 'legacy')],
  ['SDK 2', () => sdkTwo([program('small-server.mjs')], 'auto')],
])('%s gets the last progress of a call that ends at once', async (_who, connect) => {
  const subject = await connect();
  let lost = 0;
  for (let i = 0; i < CALLS; i++) {
    let last = 0;
    await subject.call('report', {}, { onprogress: ({ progress }) => (last = progress) });
    if (last !== 3) lost += 1;
  }
  await subject.client.close();
  expect(lost).toBeLessThan(CALLS / 2);
});
