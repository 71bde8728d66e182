import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { Marked } from 'marked';
import { textOf } from './html.mjs';
import { Slugger } from './slug.mjs';

/** The ids of the headings of a page, and the links that stand in it. */
export function readLinks(source) {
  const slugger = new Slugger();
  const anchors = new Set();
  const links = [];
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens }) {
        anchors.add(slugger.slug(textOf(this.parser.parseInline(tokens))));
        return '';
      },
      link({ href, tokens }) {
        links.push(href);
        return this.parser.parseInline(tokens);
      },
      image({ href }) {
        links.push(href);
        return '';
      },
    },
  });
  marked.parse(source, { async: false });
  for (const [, id] of source.matchAll(/<a (?:name|id)="([^"]+)"/g)) anchors.add(id);
  return { anchors, links };
}

/** The broken links between files of the repository. `pages` maps the file of each page to its Markdown. */
export function brokenLinks(root, pages) {
  const read = new Map([...pages].map(([file, source]) => [file, readLinks(source)]));
  return [...read].flatMap(([file, { links }]) =>
    links.flatMap((href) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return [];
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!read.has(target) && !existsSync(join(root, target))) return [`${file}: ${href} is not there`];
      const isMissing = anchor !== undefined && read.get(target)?.anchors.has(anchor) === false;
      return isMissing ? [`${file}: ${href} has no such heading`] : [];
    }),
  );
}
