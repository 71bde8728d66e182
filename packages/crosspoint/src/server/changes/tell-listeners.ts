import type { JsonObject } from '../../jsonrpc/message.ts';
import { coreOf } from '../core.ts';

/**
 * Notifies the clients that listed `about` under a listen filter of an extension: they get the notification of the filter, with these params and the
 * member that names the item. For authors of extensions.
 */
export function tellListeners(server: object, filter: string, about: string, params: JsonObject = {}): void {
  const core = coreOf(server);
  core.tell(core.extensions.changeOf(filter, about, params));
}
