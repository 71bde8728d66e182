/** Callbacks of an agent: a run in which one goes wrong ends, or goes on, and the host works as before. */
import { text } from 'crosspoint/server';
import { agent, type AgentOptions, type AgentView } from '../../src/agent/index.ts';
import type { Host } from '../../src/host.ts';
import type { ModelProvider, ModelResponse } from '../../src/models/index.ts';
import type { Fault } from '../../../crosspoint/test/guard/faults.ts';
import { drive, type Driver } from './host-callbacks.ts';

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 };
const USES: ModelResponse = {
  model: 'm',
  content: [
    { type: 'tool-use', id: '1', name: 'find', input: {} },
    { type: 'tool-use', id: '2', name: 'acting__act', input: {} },
  ],
  stopReason: 'tool-use',
  usage,
};
const DONE: ModelResponse = { model: 'm', content: [{ type: 'text', text: 'Done.' }], stopReason: 'end-turn', usage };

const PROVIDER: ModelProvider = {
  name: 'p',
  models: () => [{ name: 'm' }],
  complete: ({ messages }) => Promise.resolve(messages.length === 1 ? USES : DONE),
};

/** A run; rejects where it failed, or where a tool of the view did. */
async function run(host: Host): Promise<void> {
  const result = await host.run('Act.').result;
  if (result.error !== undefined) throw result.error;
  const words = JSON.stringify(result.messages);
  if (words.includes('"isError":true')) throw new Error(words);
}

const runs = (options: (fault: Fault) => Partial<AgentOptions>): Driver =>
  drive({
    options: (fault) => ({ agent: agent({ models: [PROVIDER], retries: false, ...options(fault) }) }),
    by: run,
  });

const viewing = (member: 'tools' | 'answers' | 'answer'): Driver =>
  runs((fault) => ({
    view: (host) => {
      const view: AgentView = {
        tools: () => host.catalogue.tools(),
        answers: (name) => name === 'find',
        answer: () => text('Found.'),
      };
      return fault.of(view, member);
    },
  }));

export const AGENT: Readonly<Record<string, Driver>> = {
  'agent.view': runs((fault) => ({ view: fault.in((host) => ({ tools: () => host.catalogue.tools() })) })),
  'agent.view.tools': viewing('tools'),
  'agent.view.answers': viewing('answers'),
  'agent.view.answer': viewing('answer'),
  'agent.models': runs((fault) => ({ models: [fault.of(PROVIDER, 'models')] })),
  'agent.complete': runs((fault) => ({ models: [fault.of(PROVIDER, 'complete')] })),
};
