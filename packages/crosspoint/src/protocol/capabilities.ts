import type { JsonObject } from '../jsonrpc/message.ts';
import { isValidExtensionId } from './meta.ts';

export interface ClientCapabilities {
  /** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
  roots?: { listChanged?: boolean };
  /** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
  sampling?: { context?: JsonObject; tools?: JsonObject };
  /** `{}` means form only. */
  elicitation?: { form?: JsonObject; url?: JsonObject };
  tasks?: JsonObject;
  experimental?: Record<string, JsonObject>;
  extensions?: Record<string, JsonObject>;
}

export interface ServerCapabilities {
  /** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
  logging?: JsonObject;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  completions?: JsonObject;
  tasks?: JsonObject;
  experimental?: Record<string, JsonObject>;
  extensions?: Record<string, JsonObject>;
}

/** A dotted path into a capabilities object, such as `resources.subscribe`. */
export type CapabilityPath = string;

/** A capability is present unless it is absent or false: `{}` counts. */
export function hasCapability(capabilities: object, path: CapabilityPath): boolean {
  const dot = path.indexOf('.');
  const key = dot === -1 ? path : path.slice(0, dot);
  const value = Object.hasOwn(capabilities, key) ? (capabilities as JsonObject)[key] : undefined;
  if (dot === -1) return value !== undefined && value !== false && value !== null;
  return typeof value === 'object' && value !== null && hasCapability(value, path.slice(dot + 1));
}

/** The capabilities of a client whose handshake is not known: nothing is known of them, which is not "it has none". */
export const UNKNOWN_CAPABILITIES: ClientCapabilities = Object.freeze({});

/** Throws `TypeError` for an extension id that is not of the form `com.example/name`. */
export function refuseBadExtensionIds({ extensions = {} }: ServerCapabilities): void {
  for (const id of Object.keys(extensions)) {
    if (!isValidExtensionId(id))
      throw new TypeError(`"${id}" is no extension id: it must look like "com.example/name".`);
  }
}
