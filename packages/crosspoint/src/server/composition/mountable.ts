import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { ServerCore } from '../core.ts';
import type { Catalogue } from '../offering/catalogue.ts';
import type { Registry } from '../offering/registry.ts';

/** A server as `mount` sees it. */
export interface MountableServer {
  readonly core: ServerCore;
  readonly catalogue: Catalogue;
  /** The entries that it offers now. */
  registry(): Registry;
  /** Adds capabilities that the author has not set, and the handlers that they need. */
  declare(capabilities: ServerCapabilities): void;
}

const mountable = new WeakMap<object, MountableServer>();

/** Lets `mount` find the parts of a server, which are not public on the server itself. */
export function registerMountable(server: object, as: MountableServer): void {
  mountable.set(server, as);
}

export function mountableOf(server: object): MountableServer | undefined {
  return mountable.get(server);
}
