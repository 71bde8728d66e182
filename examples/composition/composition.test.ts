import { connectLinked } from 'crosspoint/testing';
import { protocolRevisions } from 'crosspoint';
import { expect, it } from 'vitest';
import { createOffice } from './office.ts';

const [newest] = protocolRevisions;
const handshake = protocolRevisions.find(({ family }) => family === 'handshake');

it.each([newest?.id ?? '', handshake?.id ?? ''])('offers what is mounted, in %s', async (revision) => {
  const { client, close } = await connectLinked(await createOffice(), {
    revision,
    capabilities: { elicitation: { form: {} } },
    prepare: (made) =>
      made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { ok: true } })),
  });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['calendar_book', 'phone_find']);
  const booked = await client.callTool({ name: 'calendar_book', arguments: { day: 'Monday' } });
  expect(booked.content).toMatchObject([{ text: 'Booked: Monday' }]);
  const found = await client.callTool({ name: 'phone_find', arguments: { name: 'Ada' } });
  expect(found.content).toMatchObject([{ text: 'Ada: 555-0100' }]);
  await close();
});
