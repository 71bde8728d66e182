import type { JsonObject } from '../../jsonrpc/message.ts';
import { coreOf } from '../core.ts';

/**
 * Tells those who listed `about` under a listen filter of an extension that the server was given: they get the notification of the filter, with these
 * params and what it is about. For authors of extensions.
 */
export function tellListeners(server: object, filter: string, about: string, params: JsonObject = {}): void {
  const core = coreOf(server);
  core.tell(core.extensions.changeOf(filter, about, params));
}
