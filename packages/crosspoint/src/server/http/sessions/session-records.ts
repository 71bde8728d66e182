import { refuseRace } from '../../../stores/races.ts';
import type { Json, Store, StoredRecord } from '../../../stores/store.ts';
import type { ServerCore } from '../../core.ts';
import type { KeptState } from './live-session.ts';
import {
  applySessionRecord,
  mergeSessionRecords,
  restoreSession,
  sessionRecord,
  type Session,
  type SessionRecord,
} from '../../session/session.ts';

const PREFIX = 'session:';
/** Lifetimes are prolonged after a quarter of them, not with every request; so records live a quarter longer than sessions. */
const KEPT_LONGER = 1.25;

/** The records of sessions in the store. */
export class SessionRecords {
  readonly #core: ServerCore;
  readonly #store: Store;
  readonly #idleMs: number;

  constructor(core: ServerCore, store: Store, idleMs: number) {
    this.#core = core;
    this.#store = store;
    this.#idleMs = idleMs;
  }

  get(id: string): Promise<StoredRecord | undefined> {
    return this.#store.get(recordKey(id));
  }

  /** A session from its record; `undefined` when it cannot be served here. */
  restore(stored: StoredRecord): { session: Session; principal: string | undefined; kept: KeptState } | undefined {
    const restored = restoreSession(this.#core, stored.value);
    // Prolonged by another node, at an unknown time.
    const kept = { text: recordText(stored), version: stored.version, touchedAt: Number.NEGATIVE_INFINITY };
    return restored && { ...restored, kept };
  }

  /** Applies the changes of another node; changes made here and not stored yet are kept. */
  refresh(session: Session, principal: string | undefined, kept: KeptState, stored: StoredRecord): void {
    if (stored.version === kept.version) return;
    const mine = sessionRecord(session, principal);
    const base = kept.text === '' ? mine : (JSON.parse(kept.text) as SessionRecord);
    applySessionRecord(session, mergeSessionRecords(base, mine, stored.value as object as SessionRecord));
    kept.text = recordText(stored);
    kept.version = stored.version;
  }

  /** Stores the session; `gone` when it has ended meanwhile. */
  async save(
    id: string,
    session: Session,
    principal: string | undefined,
    kept: KeptState,
  ): Promise<'same' | 'written' | 'gone'> {
    for (let races = 0; ; races += 1) {
      refuseRace(races);
      const record = sessionRecord(session, principal);
      const text = JSON.stringify(record);
      if (text === kept.text) return 'same';
      kept.touchedAt = this.#core.clock.now();
      const ifVersion = kept.version === '' ? null : kept.version;
      const version = await this.#store.put(recordKey(id), JSON.parse(text) as Json, { ttlMs: this.#ttlMs, ifVersion });
      if (version !== undefined) {
        Object.assign(kept, { text, version });
        return 'written';
      }
      if (ifVersion === null) throw new TypeError('The generator of session ids made one that is in use.');
      const stored = await this.get(id);
      if (stored === undefined) return 'gone';
      this.refresh(session, principal, kept, stored);
    }
  }

  /** Prolongs the record. False when the session has ended. */
  async prolong(id: string, kept: KeptState): Promise<boolean> {
    const now = this.#core.clock.now();
    if (kept.text === '' || now - kept.touchedAt < this.#idleMs / 4) return true;
    kept.touchedAt = now;
    return this.#store.touch(recordKey(id), this.#ttlMs);
  }

  async delete(id: string): Promise<void> {
    await this.#store.delete(recordKey(id));
  }

  /** The number of sessions on all nodes. */
  count(): Promise<number> {
    return this.#store.count(PREFIX);
  }

  get #ttlMs(): number {
    return this.#idleMs * KEPT_LONGER;
  }
}

function recordKey(id: string): string {
  return `${PREFIX}${id}`;
}

function recordText({ value }: StoredRecord): string {
  return JSON.stringify(value);
}
