export { agent } from './agent.ts';
export type {
  AgentHost,
  AgentPart,
  AgentPort,
  AgentSpan,
  AgentView,
  Budget,
  OpenAgent,
  ResumeOptions,
  Run,
  RunCall,
  RunEndReason,
  RunEvent,
  RunOptions,
  RunResult,
} from './run.ts';
export type { AgentOptions } from './settings.ts';
