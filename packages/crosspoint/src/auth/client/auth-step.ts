import { attempt } from '../../runtime/guard.ts';

/** One thing that was done or decided on the way to a token, for people who want to know why it does not work. */
export interface AuthStep {
  /** What was to be found out, such as "protected-resource metadata". */
  readonly step: string;
  /** As "GET https://…", without query; absent where nothing was sent. */
  readonly request?: string | undefined;
  /** As "200 application/json"; absent where nothing came. */
  readonly answer?: string | undefined;
  readonly verdict: 'good' | 'missing' | 'bad' | 'note';
  /** What the verdict means, in a sentence; never a secret. */
  readonly explanation: string;
  /** Where the rule is written. */
  readonly rule?: string | undefined;
}

export type Trace = (step: AuthStep) => void;

/** The same, whatever it throws: a login does not fail because nobody could write it down. */
export function contained(trace: Trace | undefined): Trace | undefined {
  return trace && ((step) => attempt(() => trace(step), undefined));
}

export const RULES = {
  challenge: 'RFC 9728 section 5.1; MCP authorization: discovery',
  resourceMetadata: 'RFC 9728 sections 3 and 3.3',
  serverMetadata: 'RFC 8414 section 3.1; OpenID Connect Discovery 4',
  issuer: 'RFC 8414 section 3.3',
  oldServers: 'MCP authorization, first revision: default endpoints',
  pkce: 'OAuth 2.1 section 7.5.2; MCP authorization: code protection',
  registration: 'MCP authorization: client registration',
  scope: 'MCP authorization: scope selection',
  resource: 'RFC 8707 section 2',
  issParameter: 'RFC 9207 section 2.4',
  tokens: 'RFC 6749 sections 4.1.3 and 6',
  outbound: 'MCP security best practices: server-side request forgery',
} as const;
