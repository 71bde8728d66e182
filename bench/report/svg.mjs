// The part of SVG that the charts need. Colours are classes, so that the drawing follows the reader's light or dark theme.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escape = (text) => String(text).replaceAll(/[&<>"]/g, (character) => ESCAPES[character]);

const round = (value) => Math.round(value * 10) / 10;

/** @param {Record<string, string | number | undefined>} attributes those that are undefined are left out */
function element(name, attributes, content) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escape(typeof value === 'number' ? round(value) : value)}"`);
  return content === undefined ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

export const text = (x, y, content, attributes = {}) => element('text', { x, y, ...attributes }, escape(content));
export const rect = (x, y, size, attributes = {}) => element('rect', { x, y, ...size, ...attributes });
export const line = ([x1, y1], [x2, y2], attributes = {}) => element('line', { x1, y1, x2, y2, ...attributes });
export const circle = ([cx, cy], r, attributes = {}) => element('circle', { cx, cy, r, ...attributes });
export const path = (points, attributes = {}) =>
  element('polyline', {
    points: points.map(([x, y]) => `${round(x)},${round(y)}`).join(' '),
    fill: 'none',
    ...attributes,
  });
export const group = (x, y, content) =>
  element('g', { transform: `translate(${round(x)} ${round(y)})` }, content.join('\n'));

/** Subjects in the order in which they are shown, each with a colour of its own for a light and a dark ground. */
export const COLOURS = {
  raw: ['#8a8f98', '#8a8f98'],
  crosspoint: ['#0a7d55', '#3ddc97'],
  'mcp-lite': ['#b45f06', '#f0a35e'],
  tmcp: ['#6a4fb3', '#b39df3'],
  'official-v2': ['#1f6fb5', '#74b3f0'],
  'official-v1': ['#a33a5c', '#f08bab'],
  fastmcp: ['#7a6a00', '#d9c750'],
};

export const classOf = (subject) => `s-${subject}`;

function styles() {
  const coloursOf = (index) =>
    Object.entries(COLOURS)
      .map(([subject, colours]) => `.${classOf(subject)}{--c:${colours[index]}}`)
      .join('');
  return [
    'svg{font:12px system-ui,sans-serif;--ink:#1c2024;--soft:#60646c;--grid:#d9dde3;--ground:#fff}',
    coloursOf(0),
    `@media (prefers-color-scheme:dark){svg{--ink:#eceef0;--soft:#a8adb5;--grid:#3a4048;--ground:#14171b}${coloursOf(1)}}`,
    '.ground{fill:var(--ground)}text{fill:var(--ink)}.soft{fill:var(--soft)}.head{font-weight:600;font-size:13px}.title{font-weight:600;font-size:16px}',
    '.bar{fill:var(--c)}.stroke{stroke:var(--c);stroke-width:2}.dot{fill:var(--c)}.grid{stroke:var(--grid);stroke-width:1}',
  ].join('\n');
}

/** A whole drawing. */
export function drawing({ width, height, title }, content) {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
  };
  const ground = rect(0, 0, { width, height }, { class: 'ground' });
  const inside = [element('title', {}, escape(title)), element('style', {}, styles()), ground, ...content].join('\n');
  return `${element('svg', attributes, `\n${inside}\n`)}\n`;
}
