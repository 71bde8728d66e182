import type { Store } from '../../../stores/store.ts';
import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { FetchLike } from '../../outbound/policy.ts';
import type { Clients } from '../clients/clients.ts';
import type { DpopProofs } from '../resource/dpop-proof.ts';
import type { Grants } from './grants.ts';
import type { KeyedSecret } from '../http/keyed-secret.ts';
import type { Login } from '../login/login.ts';
import type { ScopeHierarchy } from '../resource/scopes.ts';

/** What the parts of one authorization server share. */
export interface Authority {
  /** As it was given: it is compared byte for byte. */
  readonly issuer: string;
  /** The issuer without a slash at the end: where its endpoints are. */
  readonly base: string;
  /** Served over plain http on this machine, for development. */
  readonly isLocal: boolean;
  /** What tokens can be issued for. */
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  readonly defaultScopes: readonly string[];
  /** The scopes that self-registered clients and clients with a document may ask for. */
  readonly openScopes: readonly string[];
  readonly hierarchy: ScopeHierarchy;
  readonly store: Store;
  readonly secret: KeyedSecret;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly proofs: DpopProofs;
  readonly login: Login;
  /** For addresses that a peer gave. */
  readonly outbound: FetchLike;
  /** Where a request comes from, for limits. */
  readonly callerOf: (request: HttpRequest) => string;
  readonly now: () => number;
  readonly onproblem: (problem: Error) => void;
}
