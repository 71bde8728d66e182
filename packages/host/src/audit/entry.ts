import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { AuditEntry, AuditEvent } from './event.ts';
import type { Seal } from './seal.ts';

/** `previous` of the first entry. */
export const BEGINNING = 'begin';

/** An event before it has a place. */
export interface Draft {
  readonly at: string;
  readonly event: AuditEvent;
}

/** The end of a log: the last entry's number and hash. Kept elsewhere, it shows that nothing up to there was removed. */
export interface AuditAnchor {
  readonly sequence: number;
  readonly hash: string;
}

/** The head record. `pending` are the last entries, as long as it is not certain that each has been written. */
export interface Head extends AuditAnchor {
  /** Binds number and hash together. */
  readonly seal: string;
  readonly pending: readonly AuditEntry[];
}

/** The part of an entry that its hash is made of: all the rest of it. */
export function bodyOf(entry: Omit<AuditEntry, 'hash'>): Json {
  return { ...(entry as unknown as JsonObject), hash: undefined };
}

/** Gives drafts their places behind the end of a log. */
export function chained(end: AuditAnchor, drafts: readonly Draft[], seal: Seal): readonly AuditEntry[] {
  let { sequence, hash: previous } = end;
  return drafts.map((draft) => {
    const body = { sequence: (sequence += 1), ...draft, previous };
    const hash = seal.make(bodyOf(body));
    previous = hash;
    return { ...body, hash };
  });
}

/** The head record for an end. */
export function sealedHead({ sequence, hash }: AuditAnchor, pending: readonly AuditEntry[], seal: Seal): Head {
  return { sequence, hash, seal: seal.make(sealedEnd({ sequence, hash })), pending };
}

/** The value that the seal of a head is made of. */
export function sealedEnd({ sequence, hash }: AuditAnchor): Json {
  return { head: sequence, hash };
}

export function readEntry(value: Json | undefined): AuditEntry | undefined {
  if (!isObject(value) || !isAnchor(value)) return undefined;
  const { at, previous, event } = value;
  const isWhole = typeof at === 'string' && typeof previous === 'string' && isObject(event);
  return isWhole && typeof event['type'] === 'string' && isObject(event['details'])
    ? (value as unknown as AuditEntry)
    : undefined;
}

export function readHead(value: Json | undefined): Head | undefined {
  if (!isObject(value) || !isAnchor(value)) return undefined;
  const { sequence, hash, seal, pending } = value;
  const entries = Array.isArray(pending) ? pending.map((entry: Json) => readEntry(entry)) : [];
  return {
    sequence: Number(sequence),
    hash: hash as string,
    seal: typeof seal === 'string' ? seal : '',
    pending: entries.filter((entry) => entry !== undefined),
  };
}

function isAnchor(value: { readonly [key: string]: Json | undefined }): boolean {
  const { sequence, hash } = value;
  return Number.isSafeInteger(sequence) && Number(sequence) >= 0 && typeof hash === 'string';
}
