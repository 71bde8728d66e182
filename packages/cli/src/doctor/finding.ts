/** The steps of an examination, in their order. */
export const STEPS = [
  'configuration',
  'command',
  'proxy',
  'dns',
  'tcp',
  'tls',
  'http',
  'well-known',
  'login',
  'family',
  'speed',
  'capabilities',
  'schemas',
  'tokens',
] as const;

export type StepName = (typeof STEPS)[number];

/** The outcome of one step: `bad` keeps the server from being used, or a model from using it. */
export interface Finding {
  readonly step: StepName;
  readonly status: 'good' | 'warning' | 'bad' | 'skipped';
  /** The cause, or that all is well, in words for people; texts of servers made visible. */
  readonly says: string;
  /** Advice: what to do about it. Every `bad` one and every `warning` has it. */
  readonly remedy?: string;
}

export const good = (step: StepName, says: string): Finding => ({ step, status: 'good', says });
export const skipped = (step: StepName, says: string): Finding => ({ step, status: 'skipped', says });
export const warning = (step: StepName, says: string, remedy: string): Finding => ({
  step,
  status: 'warning',
  says,
  remedy,
});
export const bad = (step: StepName, says: string, remedy: string): Finding => ({ step, status: 'bad', says, remedy });
