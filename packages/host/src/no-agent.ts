import type { AgentPart } from './agent/run.ts';

const HINT =
  "import { agent } from '@crosspoint/host/agent', then new Host({ …, agent: agent({ models: [provider] }) }).";

/** Stands for the agent of a host that was given none: says how to have one. */
export const noAgent: AgentPart = {
  open: () => {
    const refuse = (): never => {
      throw new TypeError(`This host has no agent: ${HINT}`);
    };
    return { run: refuse, resume: refuse, close: () => Promise.resolve() };
  },
};
