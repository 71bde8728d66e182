import MiniSearch from 'minisearch';

/** Options of the index; `assets/search.js` reads it with the same fields. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['heading', 'title', 'section', 'address', 'start'],
};

const SHOWN = 140;

/** The index of all pages, one entry a heading, as the value that the browser loads. */
export function searchIndex(pages) {
  const index = new MiniSearch(SEARCH_OPTIONS);
  let id = 0;
  for (const { address, section, sections } of pages) {
    for (const { id: anchor, heading, title, text } of sections) {
      id += 1;
      const start = text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/\s\S*$/, '')} …` : text;
      index.add({ id, heading, title, section, address: `${address}#${anchor}`, text, start });
    }
  }
  return index.toJSON();
}
