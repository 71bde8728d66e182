/** Pseudo-random numbers from a seed: case 4711 of a run is the same on every machine. */
export class Random {
  #state;

  /** @param {string} seed any text; a case uses the run's seed, the target's name and its own number */
  constructor(seed) {
    // FNV-1a: neighbouring seeds must not give neighbouring states.
    let hash = 0x811c9dc5;
    for (let at = 0; at < seed.length; at += 1) hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** A number from 0 up to, but without, 1. The generator is mulberry32. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A list of `count` results of `make`. */
  list(least, most, make) {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index));
  }

  /** A size that is mostly small and sometimes `most`: faults are found at the bounds. */
  size(most) {
    return this.chance(0.05) ? most : Math.floor(most ** this.next());
  }

  /** The same members in another order. */
  shuffled(list) {
    const left = [...list];
    return Array.from({ length: left.length }, () => left.splice(Math.floor(this.next() * left.length), 1)[0]);
  }
}
