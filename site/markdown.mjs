import { dirname, join, relative } from 'node:path/posix';
import { Marked } from 'marked';
import { highlight } from './highlight.mjs';
import { escape, textOf } from './html.mjs';
import { addressOf } from './navigation.mjs';
import { Slugger } from './slug.mjs';

/** Pictures of pages, which become part of the site. */
const PICTURES = 'docs/pictures/';

/**
 * Turns one page into HTML. `page` names its file and tells which files are pages: a link to another page leads there; of a link to any other file
 * of the repository only the text is kept, since the site is read without the repository.
 * Returns the HTML, the title, and the headings with the text below each, for the search.
 */
export function renderMarkdown(source, page) {
  const state = { slugger: new Slugger(), headings: [], page };
  const marked = new Marked({ renderer: rendererOf(state) });
  const html = marked.parse(source);
  const title = state.headings.find(({ depth }) => depth === 1)?.text ?? page.file;
  return { html, title, headings: state.headings, sections: sectionsOf(html, title) };
}

function rendererOf(state) {
  return {
    heading({ tokens, depth }) {
      const inner = this.parser.parseInline(tokens);
      const text = textOf(inner);
      const id = state.slugger.slug(text);
      state.headings.push({ id, text, depth });
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
      const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escape(text)}">#</a>`;
      return `<div class="heading"><h${depth} id="${id}">${inner}</h${depth}>${anchor}</div>\n`;
    },
    code({ text, lang = '' }) {
      const [language = '', ...marks] = lang.split(/\s+/);
      if (language === 'output') return codeBlock('output', 'What it prints', escape(text));
      const label = marks.includes('run') ? 'Example, run by the tests' : 'Code';
      return codeBlock(language, label, highlight(text, language));
    },
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map((cell) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}${alignOf(cell)}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
      // A table with an empty head is a list of pairs: an empty head would tell a reader nothing.
      const isHeaded = token.header.some(({ text }) => text !== '');
      const head = isHeaded
        ? `<thead>${row(token.header, 'th').replaceAll('<th scope="col"></th>', '<td></td>')}</thead>`
        : '';
      const body = token.rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = resolveLink(href, state.page);
      if (target === undefined) return inner;
      return `<a href="${escape(target)}"${title ? ` title="${escape(title)}"` : ''}>${inner}</a>`;
    },
    image({ href, text }) {
      if (/^https?:/.test(href)) return escape(text);
      const target = join(dirname(state.page.file), href);
      if (!target.startsWith(PICTURES)) return `<em>${escape(text)}</em>`;
      const address = relative(dirname(addressOf(state.page.file)), target.slice('docs/'.length));
      return `<a class="picture" href="${escape(address)}"><img src="${escape(address)}" alt="${escape(text)}"></a>`;
    },
  };
}

const alignOf = ({ align }) => (align === 'right' || align === 'center' ? ` class="${align}"` : '');

function codeBlock(language, label, inner) {
  const kind = language === '' ? '' : ` data-language="${escape(language)}"`;
  return `<pre tabindex="0" role="group" aria-label="${label}"${kind}><code>${inner}</code></pre>\n`;
}

/** The address on the site of a link in a file; `undefined` where the site has no such page. */
export function resolveLink(href, { file, isPage }) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = join(dirname(file), path);
  if (!isPage(target)) return undefined;
  const from = dirname(addressOf(file));
  return `${relative(from, addressOf(target))}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The page cut at its headings. */
function sectionsOf(html, title) {
  const parts = html.split(/(?=<(?:h1|div class="heading"><h[2-6]) id=)/);
  return parts.flatMap((part) => {
    const [, id, inner] = /<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>/s.exec(part) ?? [];
    const body = textOf(part.replace(/<h[1-6] id=.*?<\/h[1-6]>(?:<a class="anchor".*?<\/a>)?/s, ' '));
    if (id === undefined) return [];
    return [{ id, heading: textOf(inner ?? ''), title, text: body.replaceAll(/\s+/g, ' ').trim() }];
  });
}
