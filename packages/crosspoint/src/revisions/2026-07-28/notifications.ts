import type { JsonObject } from '../../jsonrpc/message.ts';
import { methods } from './methods.ts';

export function writeNotification(method: string, params: JsonObject): JsonObject | undefined {
  return methods.get(method)?.kind === 'notification' ? params : undefined;
}
