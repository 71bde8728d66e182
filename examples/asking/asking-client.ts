import { Client, describeUrl, readForm, type CreateMessageResult, type ElicitResult } from 'crosspoint/client';
import type { CreateMessageRequestParams } from 'crosspoint';

const ANSWERS: Record<string, string | boolean> = { day: '2027-01-31', seat: 'aisle', ok: true };

/** A client whose user answers every question, in the given revision. */
export function createAskingClient(revision: string, log: string[] = []): Client {
  const client = new Client(
    { name: 'asking-client', version: '1.0.0' },
    { revisions: [revision], capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
    log.push(params.message);
    if (params.mode === 'url') return openPage(params.url, log);
    const fields = readForm(params.requestedSchema);
    return { action: 'accept', content: Object.fromEntries(fields.map(({ name }) => [name, ANSWERS[name] ?? ''])) };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => model(params));
  return client;
}

/** Shows the whole address and its host, and opens it only with the user's consent. */
async function openPage(url: string, log: string[]): Promise<ElicitResult> {
  const { host, openable, warnings } = describeUrl(url);
  log.push(`opens ${host.replace(/:\d+$/, '')} (${warnings.join(', ')})`);
  if (!openable) return { action: 'decline' };
  await fetch(url);
  return { action: 'accept' };
}

/** A model that cannot calculate: it uses the tools it is offered and reports their results. */
function model({ messages }: CreateMessageRequestParams): CreateMessageResult {
  const said = messages.map(({ content }) => [content].flat());
  const results = said.flat().flatMap((block) => (block.type === 'tool_result' ? block.content : []));
  const [sum, product] = results.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const base = { role: 'assistant', model: 'a-model' } as const;
  if (sum === undefined)
    return {
      ...base,
      content: [{ type: 'tool_use', id: 'use-1', name: 'add', input: { a: 2, b: 3 } }],
      stopReason: 'toolUse',
    };
  if (product === undefined)
    return {
      ...base,
      content: [{ type: 'tool_use', id: 'use-2', name: 'multiply', input: { a: Number(sum), b: 4 } }],
      stopReason: 'toolUse',
    };
  return { ...base, content: { type: 'text', text: `It is ${product}.` }, stopReason: 'endTurn' };
}
