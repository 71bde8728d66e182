import { randomUUID } from 'node:crypto';
import type { ModelMessage } from '../models/model.ts';
import { AgentRun, type RunStart } from './agent-run.ts';
import { words } from './result-text.ts';
import type { AgentPart, OpenAgent, Run } from './run.ts';
import { agentSettings, type AgentOptions } from './settings.ts';

const MAX_ID = 200;

/**
 * The part of a host that runs a model with the tools of all servers. Calls are decided on by the policy of the host and asked for in its inbox,
 * as those of the program are.
 *
 * ```ts
 * const host = new Host({
 *   name: 'my-app',
 *   version: '1.0.0',
 *   servers,
 *   agent: agent({ models: [anthropicProvider({ models: ['claude-sonnet-5-5'] })], budget: { tokens: 200_000 } }),
 * });
 * const { text } = await host.run('Which of my issues are about login?').result;
 * ```
 */
export function agent(options: AgentOptions): AgentPart {
  const settings = agentSettings(options);
  return {
    open: (port): OpenAgent => {
      const runs = new Set<AgentRun>();
      let isClosed = false;
      const begin = (id: string, start: RunStart): Run => {
        if (isClosed) throw new Error('The host is closed, so it runs no agent.');
        const run = new AgentRun(id, start, port, settings);
        runs.add(run);
        void run.result.finally(() => runs.delete(run));
        return run;
      };
      return {
        run: (messages, given = {}) => {
          const said = messagesOf(messages);
          if (said.length === 0) throw new TypeError("A run needs words to begin with: host.run('What is new?').");
          return begin(idOf(given.id ?? randomUUID()), { type: 'new', messages: said, options: given });
        },
        resume: (id, given = {}) =>
          begin(idOf(id), { type: 'resume', messages: messagesOf(given.messages ?? []), options: given }),
        close: async () => {
          isClosed = true;
          const open = [...runs];
          for (const run of open) run.cancel('The host is closing.');
          await Promise.all(open.map(({ result }) => result));
        },
      };
    },
  };
}

function messagesOf(given: string | readonly ModelMessage[]): readonly ModelMessage[] {
  if (typeof given === 'string') return given === '' ? [] : [{ role: 'user', content: [words(given)] }];
  if (!Array.isArray(given)) throw new TypeError('The messages of a run are a text, or a list of messages.');
  return given as readonly ModelMessage[];
}

function idOf(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID) return id;
  throw new TypeError(`The id of a run is a text of 1 to ${MAX_ID} characters.`);
}
