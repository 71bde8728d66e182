import type { Client } from '@modelcontextprotocol/client';
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import { answering, CAPABILITIES, INFO, type Seen } from './seat.ts';

const TASKS = 'io.modelcontextprotocol/tasks';

/** The host of the official package has to bring the way that its requests go. */
function wayTo(url: string, revision: string): object {
  const clientCapabilities = { ...CAPABILITIES, extensions: { [TASKS]: {} } };
  let sent = 0;
  const rawDispatch = async (request: unknown): Promise<unknown> => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': method,
        'mcp-name': params.taskId ?? params.name ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: (sent += 1), ...(request as object) }),
    });
    const { result, error } = answerIn(await answer.text());
    return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
  };
  return { v2RequestFraming: { protocolVersion: revision, clientInfo: INFO, clientCapabilities }, rawDispatch };
}

/** The answer in a body, which is JSON or a stream of events whose last message is the answer. */
function answerIn(body: string): { result?: unknown; error?: unknown } {
  if (body.startsWith('{')) return JSON.parse(body) as object;
  const [last = '{}'] = body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .slice(-1);
  return JSON.parse(last.replace('data: ', '')) as object;
}

/** Calls a tool as a task in the per-request family over HTTP, with the official package for tasks. */
export async function callAsTask(
  { client, seen, url, revision }: { client: Client; seen: Seen; url: string; revision: string },
  name: string,
): Promise<unknown> {
  const answers = answering(seen);
  const input = createApplicationInputHandler({
    elicitation: ({ params }) => answers.elicit(params),
    sampling: ({ params }) => answers.sample(params),
    roots: () => answers.roots(),
  });
  const session = createTaskSessionFromClient(client, {
    endpointId: 'peer',
    onInputRequest: input,
    ...wayTo(url, revision),
  });
  try {
    const execution = await session.callTool(name, {});
    const { outcome } = await execution.settle();
    return resultFromTaskOutcome(outcome);
  } finally {
    await session.close();
  }
}
