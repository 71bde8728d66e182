import { Client, createVerdictMemory, StreamableHTTPClientTransport } from 'crosspoint/client';
import type { Conversation } from './program.ts';
import { HANGING, NOTE } from './server.ts';

export type Family = 'handshake' | 'per-request';

/** The end of a conversation for its client: of each call, and the changes it was told. */
export interface Ending {
  readonly calls: Record<string, unknown>;
  readonly asked: readonly string[];
  readonly logs: readonly string[];
  readonly isTouched: boolean;
  readonly hasGrown: boolean;
  readonly tools: readonly string[];
}

interface Notes {
  readonly asked: string[];
  readonly logs: Set<string>;
  updates: number;
  changes: number;
}

const LIMIT_MS = 5000;

/** Whether it becomes true in time. */
export async function soon(isTrue: () => boolean): Promise<boolean> {
  const end = Date.now() + LIMIT_MS;
  while (!isTrue()) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return true;
}

function createClient(family: Family, notes: Notes): Client {
  const client = new Client(
    { name: 'speaker', version: '1.0.0' },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      revisions: family,
      verdicts: createVerdictMemory(),
      cache: false,
      onlog: ({ data }) => notes.logs.add(String(data)),
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const { message } = params as { message: string };
    notes.asked.push(message);
    return message.startsWith('decline')
      ? { action: 'decline' }
      : { action: 'accept', content: { answer: `yes to ${message}` } };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    const question = JSON.stringify((params as { messages: unknown }).messages);
    notes.asked.push(question);
    return { role: 'assistant', model: 'test', content: { type: 'text', text: `as for ${question}` } };
  });
  client.setRequestHandler('roots/list', () => {
    notes.asked.push('roots');
    return { roots: [{ uri: 'file:///srv' }] };
  });
  client.setNotificationHandler('notifications/resources/updated', () => void (notes.updates += 1));
  client.setNotificationHandler('notifications/tools/list_changed', () => void (notes.changes += 1));
  return client;
}

async function callOf(client: Client, name: string, program: Conversation[number][number]): Promise<unknown> {
  const controller = new AbortController();
  const progress = new Set<string>();
  const onprogress = ({ message }: { message?: string }): void => {
    if (message === HANGING) controller.abort(new Error('enough'));
    // A handler that runs again for a later round says the same again.
    else if (message !== undefined) progress.add(message);
  };
  const params = { name: program.isTask ? 'play-long' : 'play', arguments: { name, program: program as never } };
  const called = program.isTask
    ? client.startTask(params).then((handle) => handle.wait())
    : client.callTool(params, { signal: controller.signal, onprogress });
  const outcome = await called.then(
    ({ content, isError }) => ({ content, isError: isError ?? false }),
    (error: Error) => (controller.signal.aborted ? 'cancelled' : { error: error.message }),
  );
  return { outcome, progress: [...progress] };
}

/** Holds a conversation with the server at an address, and says how it ended. */
export async function endOf(conversation: Conversation, url: string, family: Family): Promise<Ending> {
  const notes: Notes = { asked: [], logs: new Set(), updates: 0, changes: 0 };
  const client = createClient(family, notes);
  try {
    await client.connect(new StreamableHTTPClientTransport(url));
    await client.setLoggingLevel('info');
    await client.subscribeResource({ uri: NOTE });
    if (family === 'per-request') await client.listen({ toolsListChanged: true });
    const calls: Record<string, unknown> = {};
    for (const [turn, programs] of conversation.entries()) {
      const made = programs.map(async (program, place) => {
        const name = `${turn}-${place}`;
        calls[name] = await callOf(client, name, program);
      });
      await Promise.all(made);
    }
    const has = (kind: string): boolean =>
      conversation.flat().some(({ parts }) => parts.some((part) => part.kind === kind));
    const isTouched = has('touch') ? await soon(() => notes.updates > 0) : notes.updates > 0;
    const hasGrown = has('grow') ? await soon(() => notes.changes > 0) : notes.changes > 0;
    const { tools } = await client.listTools();
    return {
      calls,
      asked: inOrder(notes.asked),
      logs: [...notes.logs].toSorted(),
      isTouched,
      hasGrown,
      tools: tools.map(({ name }) => name).toSorted(),
    };
  } finally {
    await client.close();
  }
}

const CALL = /(\d+-\d+)\.(\d+)/;

/** Questions by call, each call's in the order in which they came; those of one moment in that of the alphabet. Questions for roots name no call. */
function inOrder(asked: readonly string[]): string[] {
  const callOf = (question: string): string => CALL.exec(question)?.[1] ?? '';
  const momentOf = (question: string): string => CALL.exec(question)?.[0] ?? '';
  const byCall = asked.toSorted((one, other) => callOf(one).localeCompare(callOf(other)));
  for (let at = 1; at < byCall.length; at += 1) {
    const [before = '', here = ''] = byCall.slice(at - 1, at + 1);
    if (momentOf(before) === momentOf(here) && before > here) [byCall[at - 1], byCall[at]] = [here, before];
  }
  return byCall;
}
