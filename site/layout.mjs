import { dirname, relative } from 'node:path/posix';
import { escape } from './html.mjs';

const NAME = 'Crosspoint';

/** The whole document around a rendered page. Addresses are relative, so that the site works in any folder and from a disk. */
export function layout(page, { sections, previous, next }) {
  const to = (address) => relative(dirname(page.address), address) || address.replace(/^.*\//, '');
  const asset = (name) => to(`assets/${name}`);
  const root = to('index.html').replace(/index\.html$/, '');
  const title = page.title === NAME ? NAME : `${page.title} · ${NAME}`;
  const wide = page.file.startsWith('docs/reference/') ? ' class="reference"' : '';
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="${asset('mark.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('style.css')}">
<link rel="stylesheet" href="${asset('content.css')}">
<script src="${asset('site.js')}" defer></script>
</head>
<body${wide}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="name" href="${to('index.html')}"><img src="${asset('mark.svg')}" alt="" width="24" height="24">${NAME}</a>
<form class="search" role="search" hidden>
<label for="query">Search</label>
<input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="found" aria-keyshortcuts="/">
<div id="found" hidden><p role="status"></p><ol></ol></div>
</form>
<button class="menu" type="button" aria-expanded="false" aria-controls="pages" hidden>Menu</button>
</header>
<div class="columns">
<nav id="pages" aria-label="Pages">
${sections.map((section) => group(section, page, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${page.html}
${neighbours(previous, next, to)}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}

/** A group of the navigation; open if it holds the current page. */
function group({ title, pages }, current, to) {
  if (pages.length === 0) return '';
  const isOpen = pages.some(({ address }) => address === current.address);
  const items = pages.map(({ title: name, address }) => {
    const mark = address === current.address ? ' aria-current="page"' : '';
    return `<li><a href="${to(address)}"${mark}>${escape(name)}</a></li>`;
  });
  return `<details${isOpen ? ' open' : ''}><summary>${escape(title)}</summary><ul>${items.join('')}</ul></details>`;
}

function neighbours(previous, next, to) {
  const link = (page, rel, word) =>
    page === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${to(page.address)}"><span>${word}</span>${escape(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(previous, 'prev', 'Before')}${link(next, 'next', 'Next')}</nav>`;
}

/** The table of contents, for pages that are long enough. */
function contents({ headings }) {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const listed = shown.length > 40 ? shown.filter(({ depth }) => depth === 2) : shown;
  if (listed.length < 2) return '';
  const items = listed.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
