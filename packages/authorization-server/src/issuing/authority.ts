import type { HttpRequest, Store } from 'crosspoint/server';
import type { FetchLike } from 'crosspoint/auth';
import type { Clients } from '../clients/clients.ts';
import type { DpopProofs, ScopeHierarchy } from 'crosspoint/internal/auth-server';
import type { Grants } from './grants.ts';
import type { KeyedSecret } from '../http/keyed-secret.ts';
import type { Login } from '../login/login.ts';

/** State shared by the parts of one authorization server. */
export interface Authority {
  /** As given; compared exactly. */
  readonly issuer: string;
  /** The issuer without a trailing slash, the base of its endpoints. */
  readonly base: string;
  /** Served over plain http on this machine, for development. */
  readonly isLocal: boolean;
  /** Resources that tokens can be issued for. */
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  readonly defaultScopes: readonly string[];
  /** Scopes that self-registered clients and clients with a document may request. */
  readonly openScopes: readonly string[];
  readonly hierarchy: ScopeHierarchy;
  readonly store: Store;
  readonly secret: KeyedSecret;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly proofs: DpopProofs;
  readonly login: Login;
  /** For addresses that a client named. */
  readonly outbound: FetchLike;
  /** Source of a request, for rate limits. */
  readonly callerOf: (request: HttpRequest) => string;
  readonly now: () => number;
  readonly onproblem: (problem: Error) => void;
}
