import type { ModelInfo, ModelRequest, ModelResponse, ToolUseBlock } from '../../src/models/index.ts';
import type { JsonObject } from '../../src/index.ts';
import type { AgentOptions, Run, RunEvent } from '../../src/agent/index.ts';
import { agent } from '../../src/agent/index.ts';
import type { Host } from '../../src/host.ts';
import type { HostOptions } from '../../src/host-options.ts';
import { openHost } from '../host/opened.ts';
import { scriptedProvider, type ScriptedProvider } from '../models/scripted-provider.ts';

export type Answer = Partial<ModelResponse> | ((request: ModelRequest) => Partial<ModelResponse>);

let ids = 0;

/** An answer that uses tools, with some words before them. */
export function uses(...calls: readonly (readonly [name: string, input?: JsonObject])[]): Partial<ModelResponse> {
  const blocks = calls.map(([name, input = {}]): ToolUseBlock => ({
    type: 'tool-use',
    id: `use_${(ids += 1)}`,
    name,
    input,
  }));
  return { content: [{ type: 'text', text: 'Let me look.' }, ...blocks], stopReason: 'tool-use' };
}

export function says(text: string): Partial<ModelResponse> {
  return { content: [{ type: 'text', text }], stopReason: 'end-turn' };
}

const MODEL: ModelInfo = { name: 'model-1', prices: { input: 1, output: 1 } };

/** A provider that gives these answers in turn, the last one again and again. */
export function scripted(answers: readonly Answer[], info: Partial<ModelInfo> = {}): ScriptedProvider {
  let at = 0;
  return scriptedProvider([{ ...MODEL, ...info }], (request) => {
    const answer = answers[Math.min(at, answers.length - 1)] ?? {};
    at += 1;
    return typeof answer === 'function' ? answer(request) : answer;
  });
}

export interface Scene {
  readonly host: Host;
  readonly model: ScriptedProvider;
}

/** A host with an agent whose model follows a script. Calls are allowed unless the policy says otherwise. */
export function scene(
  answers: readonly Answer[],
  options: Partial<HostOptions> & {
    readonly agentOptions?: Partial<AgentOptions>;
    readonly info?: Partial<ModelInfo>;
  } = {},
): Scene {
  const { agentOptions, info, ...rest } = options;
  const model = scripted(answers, info);
  const host = openHost({
    policy: { default: { call: 'allow' } },
    agent: agent({ models: [model], retries: { baseMs: 1 }, ...agentOptions }),
    ...rest,
  });
  return { host, model };
}

/** All events of a run, to its end. */
export async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

export function typesOf(events: readonly RunEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** The words of the results in the last message to the model. */
export function heard(request: ModelRequest | undefined): string[] {
  return (request?.messages.at(-1)?.content ?? []).flatMap((block) =>
    block.type === 'tool-result'
      ? [block.content.map((one) => (one.type === 'text' ? one.text : `(${one.type})`)).join('|')]
      : block.type === 'text'
        ? [block.text]
        : [],
  );
}
