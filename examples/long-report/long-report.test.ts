import { protocolRevisions } from 'crosspoint';
import { connectLinked } from 'crosspoint/testing';
import { describe, expect, test } from 'vitest';
import { createReportServer } from './report-server.ts';

const [extension, core, ...withoutTasks] = protocolRevisions.map(({ id }) => id);
const instant = { writeChapter: async (topic: string, chapter: number) => `${chapter}. ${topic}` };

test.each(protocolRevisions)('a call gives the report in $id, whether it became a task or not', async ({ id }) => {
  const { client, close } = await connectLinked(createReportServer(instant), { revision: id });
  const steps: number[] = [];
  const result = await client.callTool(
    { name: 'write_report', arguments: { topic: 'Bees', chapters: 2 } },
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  expect(result.content).toEqual([{ type: 'text', text: '1. Bees\n2. Bees' }]);
  if (withoutTasks.includes(id)) expect(steps).toEqual([1, 2]);
  await close();
});

describe.each([extension, core].map(String))('as a task of %s', (revision) => {
  test('it is begun, looked at and waited for', async () => {
    let release = (): void => {};
    let begin = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const server = createReportServer({
      writeChapter: async (topic, chapter) => {
        if (chapter === 2) {
          begin();
          await held;
        }
        return `${chapter}. ${topic}`;
      },
    });
    const { client, close } = await connectLinked(server, { revision });
    const report = await client.startTask({ name: 'write_report', arguments: { topic: 'Bees', chapters: 2 } });
    expect(report.taskId).toBeDefined();
    await begun;
    expect(await report.status()).toMatchObject({ status: 'working', statusMessage: '1 of 2 chapters' });
    release();
    expect((await report.wait()).content).toEqual([{ type: 'text', text: '1. Bees\n2. Bees' }]);
    expect((await report.status())?.status).toBe('completed');
    await close();
    await server.close();
  });

  test('it is given up when it is cancelled', async () => {
    let gaveUp = (): void => {};
    const givenUp = new Promise<void>((resolve) => (gaveUp = resolve));
    const server = createReportServer({
      writeChapter: (_topic, _chapter, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            gaveUp();
            reject(new Error('given up'));
          });
        }),
    });
    const { client, close } = await connectLinked(server, { revision });
    const report = await client.startTask({ name: 'write_report', arguments: { topic: 'Bees' } });
    await report.cancel();
    await givenUp;
    expect((await report.status())?.status).toBe('cancelled');
    await close();
    await server.close();
  });
});
