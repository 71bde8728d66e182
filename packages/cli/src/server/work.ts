import type { Host } from '@crosspoint/host';
import type { ConnectionState } from './offers/connection-state.ts';
import type { OperationName, OperationOptions, ParamsOf } from './operations.ts';

/** An operation that is being carried out. */
export interface Work<Name extends OperationName> extends OperationOptions {
  readonly host: Host;
  /** The name of the server in the host. */
  readonly server: string;
  readonly params: ParamsOf<Name>;
  readonly state: ConnectionState;
}
