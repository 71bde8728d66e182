import type { JsonObject } from '../../jsonrpc/message.ts';

export interface ElicitFormParams {
  mode?: 'form';
  message: string;
  /** An object schema, one level deep, whose members are primitives or choices. */
  requestedSchema: JsonObject;
  _meta?: JsonObject;
}

export interface ElicitUrlParams {
  mode: 'url';
  message: string;
  url: string;
  /** Only in the handshake family. */
  elicitationId?: string;
  _meta?: JsonObject;
}

export type ElicitParams = ElicitFormParams | ElicitUrlParams;

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
  _meta?: JsonObject;
}
