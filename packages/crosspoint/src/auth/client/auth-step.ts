import { attempt } from '../../runtime/guard.ts';

/** One request or decision on the way to a token, to show why a login fails. */
export interface AuthStep {
  /** Purpose of the step, such as "protected-resource metadata". */
  readonly step: string;
  /** Method and address without query, such as "GET https://…"; absent when nothing was sent. */
  readonly request?: string | undefined;
  /** Status and type, such as "200 application/json"; absent when there was no response. */
  readonly answer?: string | undefined;
  readonly verdict: 'good' | 'missing' | 'bad' | 'note';
  /** Meaning of the verdict in one sentence; never contains a secret. */
  readonly explanation: string;
  /** Specification that contains the rule. */
  readonly rule?: string | undefined;
}

export type Trace = (step: AuthStep) => void;

/** Wraps a trace callback: an error in it does not fail the login. */
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
