import type { Seat } from './seats/seat.ts';
import { comes, Recording, type Transcript } from './transcript.ts';

const CALLS: readonly [string, object][] = [
  ['echo', { message: 'hello' }],
  ['get-sum', { a: 2, b: 3 }],
  ['get-structured-content', { location: 'New York' }],
  ['get-tiny-image', {}],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-resource-links', { count: 2 }],
  ['trigger-elicitation-request', {}],
  ['trigger-sampling-request', { prompt: 'A poem?', maxTokens: 20 }],
  ['trigger-url-elicitation', { url: 'https://example.com/pay', elicitationId: 'order-7' }],
  ['get-roots-list', {}],
  ['no-such-tool', {}],
];

/** Everything that a client can do with the published server in a short time. */
export async function converseWithEverything(seat: Seat): Promise<Transcript> {
  const recording = new Recording(seat, ['roots/list']);
  // It has more tools once it knows what the client can do.
  await comes(async () => seat.seen.asked.length > 0, 400);
  await recording.step('about', () => seat.about());
  for (const what of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const)
    await recording.step(`list ${what}`, () => seat.list(what));
  for (const [name, args] of CALLS) await recording.step(`call ${name}`, () => recording.call(name, { ...args }));
  await recording.step('read a static resource', () => seat.read('demo://resource/static/document/features.md'));
  await recording.step('read an absent resource', () => seat.read('demo://resource/absent'));
  await recording.step('get args-prompt', () => seat.get('args-prompt', { city: 'Bern', state: 'BE' }));
  const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
  await recording.step('complete', () => seat.complete(ref, 'department', 'E'));
  await recording.step('progress', async (progress) => {
    const all: unknown[] = [];
    const args = { duration: 0.12, steps: 3 };
    const options = { onprogress: (value: unknown) => all.push(value) };
    const result = await recording.call('trigger-long-running-operation', args, options);
    progress.push(...all.slice(0, seat.losesProgress ? 1 : 2));
    return result;
  });
  await recording.step('cancel', async () => {
    const controller = new AbortController();
    const args = { duration: 5, steps: 100 };
    const options = { signal: controller.signal, onprogress: () => controller.abort(new Error('enough')) };
    return recording.call('trigger-long-running-operation', args, options).then(
      () => 'ended',
      () => 'cancelled',
    );
  });
  await watching(recording);
  // It asks for the roots by itself, at a moment that differs each time.
  await recording.step('roots', async () => seat.seen.asked.some(({ method }) => method === 'roots/list'));
  return recording.steps;
}

async function watching(recording: Recording): Promise<void> {
  const { seat } = recording;
  const uri = 'demo://resource/dynamic/text/1';
  await recording.step('watch', async () => {
    await seat.watch(uri);
    await recording.call('toggle-subscriber-updates');
    await comes(() => seat.seen.updates.length > 0);
    await recording.call('toggle-subscriber-updates');
    await seat.unwatch(uri);
    return { updates: seat.seen.updates.slice(0, 1) };
  });
}
