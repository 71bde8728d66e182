import { refuseRace } from '../../../stores/races.ts';
import type { Json, Store, StoredRecord } from '../../../stores/store.ts';
import type { ServerCore } from '../../core.ts';
import {
  applySessionRecord,
  mergeSessionRecords,
  restoreSession,
  sessionRecord,
  type Session,
  type SessionRecord,
} from '../../session/session.ts';

const PREFIX = 'session:';
/** Lives are prolonged now and then, not with every request; so what is kept outlives what is in use by as much. */
const KEPT_LONGER = 1.25;

/** What was last known to be kept of a session. */
export interface KeptState {
  /** The text, and the version it had; empty before the first. */
  text: string;
  version: string;
  /** When its life was last prolonged. */
  touchedAt: number;
}

export function nothingKept(now: number): KeptState {
  return { text: '', version: '', touchedAt: now };
}

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
    return this.#store.get(keyOf(id));
  }

  /** A session from its record; `undefined` when it cannot be served here. */
  restore(stored: StoredRecord): { session: Session; principal: string | undefined; kept: KeptState } | undefined {
    const restored = restoreSession(this.#core, stored.value);
    // Its life was last prolonged elsewhere, nobody here knows when.
    const kept = { text: textOf(stored), version: stored.version, touchedAt: Number.NEGATIVE_INFINITY };
    return restored && { ...restored, kept };
  }

  /** Takes over what another node has changed; what was changed here and is not kept yet stays changed. */
  refresh(session: Session, principal: string | undefined, kept: KeptState, stored: StoredRecord): void {
    if (stored.version === kept.version) return;
    const mine = sessionRecord(session, principal);
    const base = kept.text === '' ? mine : (JSON.parse(kept.text) as SessionRecord);
    applySessionRecord(session, mergeSessionRecords(base, mine, stored.value as object as SessionRecord));
    kept.text = textOf(stored);
    kept.version = stored.version;
  }

  /** `gone` when the session has ended meanwhile. */
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
      const version = await this.#store.put(keyOf(id), JSON.parse(text) as Json, { ttlMs: this.#ttlMs, ifVersion });
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

  /** False when the session has ended. */
  async prolong(id: string, kept: KeptState): Promise<boolean> {
    const now = this.#core.clock.now();
    if (kept.text === '' || now - kept.touchedAt < this.#idleMs / 4) return true;
    kept.touchedAt = now;
    return this.#store.touch(keyOf(id), this.#ttlMs);
  }

  async delete(id: string): Promise<void> {
    await this.#store.delete(keyOf(id));
  }

  /** On all nodes. */
  count(): Promise<number> {
    return this.#store.count(PREFIX);
  }

  get #ttlMs(): number {
    return this.#idleMs * KEPT_LONGER;
  }
}

function keyOf(id: string): string {
  return `${PREFIX}${id}`;
}

function textOf({ value }: StoredRecord): string {
  return JSON.stringify(value);
}
