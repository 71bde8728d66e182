import type { JsonObject } from '../../jsonrpc/message.ts';
import { coreOf } from '../core.ts';

/**
 * Notifies the clients that listed `about` under a listen filter of an extension: they get the notification of the filter, with these params and the
 * member that names the item. For authors of extensions.
 */
export function tellListeners(server: object, filter: string, about: string, params: JsonObject = {}): void {
  const core = coreOf(server);
  const found = core.extensions?.owner('filters', filter)?.extension.filters?.[filter];
  if (found === undefined)
    throw new TypeError(`This server has no listen filter "${filter}": use() the extension that has it.`);
  const { notification, about: member } = found;
  core.tell({ kind: 'extension', filter, about, method: notification, params: { ...params, [member]: about } });
}
