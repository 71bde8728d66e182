/** Ids of headings as code hosts make them, so that a link with an anchor works here and there. */
export class Slugger {
  #used = new Map();

  slug(text) {
    const base = text
      .toLowerCase()
      .trim()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const seen = this.#used.get(base) ?? 0;
    this.#used.set(base, seen + 1);
    return seen === 0 ? base : `${base}-${seen}`;
  }
}
