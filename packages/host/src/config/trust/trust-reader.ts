import type { DefinitionChange } from '../../inbox/item.ts';
import type { Origin, ServerEntry } from '../server-entry.ts';

/** `changed`: the file was trusted, and has another content now. */
export type TrustState = 'trusted' | 'unknown' | 'changed';

/** A member of an entry that is not as it was trusted. Values of secrets are not in it. */
export interface EntryChange extends DefinitionChange {
  readonly server: string;
}

/** The part of `TrustBook` that answers. */
export interface TrustReader {
  /** By the path and the digest of the content that the entry was read from: the file is not read again. */
  stateOf(origin: Pick<Origin, 'file' | 'digest'>): Promise<TrustState>;
  /** The differences between the entries of a file as they were trusted, and these. */
  changesOf(file: string, entries: readonly ServerEntry[]): Promise<readonly EntryChange[]>;
}
