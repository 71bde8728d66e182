import { isJsonObject } from '../../jsonrpc/message.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import type { CallerPart } from './caller-mounts.ts';
import { NO_ENTRIES, prefixer, type MountedEntries } from './entries.ts';
import { sourceEntries } from './source-entries.ts';
import type { ServerSource, SourceOffers } from './source.ts';

interface Place {
  readonly prefix: string;
  readonly order: number;
  readonly onproblem: (problem: Error) => void;
}

/** A mounted source that differs by caller. */
export class SourcePart implements CallerPart {
  readonly registered: MountedEntries = NO_ENTRIES;
  readonly prefix: string;
  readonly #source: ServerSource;
  readonly #place: Place;
  readonly #rename: (name: string) => string;
  /** Entries by the offers that they were made of: most sources say the same many times. */
  readonly #made = new WeakMap<SourceOffers, MountedEntries>();

  constructor(source: ServerSource, place: Place) {
    this.#source = source;
    this.#place = place;
    this.prefix = place.prefix;
    this.#rename = prefixer(place.prefix);
  }

  varies(): boolean {
    return true;
  }

  async entriesFor(_request: HandledRequest, ctx: ServerContext): Promise<MountedEntries> {
    const offers = await this.#source.offersTo?.(ctx);
    if (!isJsonObject(offers)) throw new TypeError('offersTo must return an object with the offers, which may be {}.');
    let entries = this.#made.get(offers);
    if (entries === undefined) this.#made.set(offers, (entries = this.#entriesOf(offers)));
    return entries;
  }

  #entriesOf(offers: SourceOffers): MountedEntries {
    const { order, onproblem } = this.#place;
    return sourceEntries(this.#source, offers, {
      rename: this.#rename,
      order,
      onfault: (cause) =>
        onproblem(
          new Error(`An offer of the source mounted as "${this.prefix}" is left out: ${cause.message}`, { cause }),
        ),
    });
  }
}
