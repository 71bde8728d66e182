import type { Seat } from './seats/seat.ts';
import { comes, pause, Recording, type Transcript } from './transcript.ts';

const NOTE = 'memo://note';
/** Reports of official clients: streams that they ended themselves, that of a cancelled call, which they try to resume, and progress that they lose. */
const NOISE = /abort|SSE stream|reconnection|progress notification for an unknown token/i;

/** Everything that a client can do with the servers in `programs/`. */
export async function converse(seat: Seat): Promise<Transcript> {
  const recording = new Recording(seat);
  await lists(recording);
  await calls(recording);
  await reads(recording);
  await questions(recording);
  await streams(recording);
  await changes(recording);
  await tasks(recording);
  await recording.step('problems', async () => seat.seen.problems.filter((problem) => !NOISE.test(problem)));
  return recording.steps;
}

async function lists(recording: Recording): Promise<void> {
  const { seat } = recording;
  await recording.step('about', () => seat.about());
  for (const what of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const)
    await recording.step(`list ${what}`, () => seat.list(what));
}

async function calls(recording: Recording): Promise<void> {
  const plain: [string, object][] = [
    ['add', { a: 2, b: 3 }],
    ['add', { a: 'two', b: 3 }],
    ['fail', {}],
    ['rich', {}],
    ['region', { region: 'Zürich' }],
    ['no-such-tool', {}],
  ];
  for (const [name, args] of plain)
    await recording.step(`call ${name} ${JSON.stringify(args)}`, () => recording.call(name, { ...args }));
}

async function reads(recording: Recording): Promise<void> {
  const { seat } = recording;
  for (const uri of [NOTE, 'memo://notes/two', 'memo://absent'])
    await recording.step(`read ${uri}`, () => seat.read(uri));
  await recording.step('get greet', () => seat.get('greet', { name: 'Ada' }));
  await recording.step('get greet without its argument', () => seat.get('greet', {}));
  await recording.step('complete a prompt', () => seat.complete({ type: 'ref/prompt', name: 'greet' }, 'name', 'A'));
  const template = { type: 'ref/resource', uri: 'memo://notes/{id}' } as const;
  await recording.step('complete a template', () => seat.complete(template, 'id', 't'));
}

async function questions(recording: Recording): Promise<void> {
  for (const name of ['interview', 'both', 'stray', 'page', 'pay-first', 'roots'])
    await recording.step(`ask ${name}`, () => recording.call(name));
  await recording.step('two interviews at once', () =>
    Promise.all([recording.call('interview'), recording.call('interview')]),
  );
  // Over HTTP, servers of the first generation ask these on their standing stream.
  await recording.step('two strays at once', () => Promise.all([recording.call('stray'), recording.call('stray')]));
  await recording.step('ask about', () => recording.seat.get('about'));
}

async function streams(recording: Recording): Promise<void> {
  const { seat } = recording;
  await recording.step('progress', async (progress) => {
    const all: unknown[] = [];
    const result = await recording.call('count', {}, { onprogress: (value) => all.push(value) });
    progress.push(...(seat.losesProgress ? all.slice(0, 1) : all));
    return result;
  });
  await recording.step('cancel', async () => {
    const controller = new AbortController();
    const cancelled = await recording
      .call('wait', {}, { signal: controller.signal, onprogress: () => controller.abort(new Error('enough')) })
      .then(
        () => false,
        () => true,
      );
    const learned = await comes(async () => JSON.stringify(await seat.call('aborts')).includes('"1"'));
    return { cancelled, learned };
  });
  await recording.step('log', async () => {
    await seat.setLevel('warning');
    const before = seat.seen.logs.length;
    const said = await recording.call('chat');
    await comes(() => seat.seen.logs.length > before);
    return { said, logs: seat.seen.logs.slice(before) };
  });
}

async function changes(recording: Recording): Promise<void> {
  const { seat } = recording;
  await recording.step('watch', async () => {
    await seat.watch(NOTE);
    const touched = await recording.call('touch');
    await comes(() => seat.seen.updates.length > 0);
    return { touched, updates: [...seat.seen.updates] };
  });
  await recording.step('a list changes', async () => {
    const before = seat.seen.toolChanges;
    await recording.call('grow');
    const isTold = await comes(() => seat.seen.toolChanges > before);
    const { tools } = (await seat.list('tools')) as { tools: { name: string }[] };
    return { isTold, hasGrown: tools.some(({ name }) => name === 'grown'), grown: await recording.call('grown') };
  });
  await recording.step('watch no more', async () => {
    await seat.unwatch(NOTE);
    const before = seat.seen.updates.length;
    await recording.call('touch');
    await pause(30);
    return { updates: seat.seen.updates.slice(before) };
  });
}

async function tasks(recording: Recording): Promise<void> {
  const { task } = recording.seat;
  for (const name of ['job', 'asking-job'])
    await recording.step(`task ${name}`, () => (task === undefined ? recording.call(name) : task(name)));
}
