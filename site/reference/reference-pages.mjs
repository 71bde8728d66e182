import { relative } from 'node:path/posix';
import { escape } from '../html.mjs';
import { describeExport } from './describe.mjs';
import { packageEntries } from './entries.mjs';
import { explainedIn } from './explained-in.mjs';
import { exportsOf } from './exports-of.mjs';
import { keyOfMeaning, mentionedTypes } from './mentioned-types.mjs';

/** The purpose of each entry, where its name does not say it. */
const PURPOSES = {
  crosspoint: 'What both sides share: types of the protocol, errors, revisions, and what extensions are made of.',
  'crosspoint/server': 'Servers, and serving them over HTTP. Runs everywhere.',
  'crosspoint/server/files': 'Files on a disk: whether they lie inside a root. Needs Node, Bun or Deno.',
  'crosspoint/server/mounting': 'Servers and other sources as parts of a server. Runs everywhere.',
  'crosspoint/server/relaying': 'Servers that stand for others, such as bridges. Runs everywhere.',
  'crosspoint/client/relaying': 'Clients that pass on the requests of others. Runs everywhere.',
  '@crosspoint/recording':
    'Session files: writing and reading what passed between clients and servers. Runs everywhere.',
  'crosspoint/server/tasks': 'Tools that run as tasks. Runs everywhere.',
  '@crosspoint/skills/server': 'Offering skills. Runs everywhere.',
  '@crosspoint/skills/server/files': 'Offering the skills of a folder. Needs Node, Bun or Deno.',
  '@crosspoint/skills/client': 'Finding, reading and verifying the skills of a server.',
  'crosspoint/middleware': 'Functions that stand around operations, such as a log of calls.',
  '@crosspoint/openapi': 'A server made of an OpenAPI document.',
  '@crosspoint/apps/server': 'Offering user interfaces as resources.',
  '@crosspoint/apps/client': 'Finding and checking the user interfaces of a server.',
  'crosspoint/telemetry': 'Spans and metrics by the conventions of OpenTelemetry.',
  'crosspoint/server/stdio':
    'Serving the client that started this process, with all that such a server needs and nothing of HTTP. Needs Node, Bun or Deno.',
  'crosspoint/auth/server': 'Protecting a server: bearer tokens, verifiers, metadata.',
  '@crosspoint/authorization-server':
    'Issuing tokens, standing before another provider, and third-party logins of tools.',
  'crosspoint/client': 'Clients, and connecting them over HTTP. Runs everywhere.',
  'crosspoint/client/stdio':
    'Clients of servers that they start as a child process, without HTTP and logins. Needs Node, Bun or Deno.',
  'crosspoint/auth': 'Logging in, what both sides of a login share, and requests to addresses that a peer gave.',
  'crosspoint/auth/node':
    'Logging in with a browser on this machine, and keeping credentials in a file. Needs Node, Bun or Deno.',
  'crosspoint/schema': 'JSON Schema and Standard Schema, by themselves.',
  '@crosspoint/json-schema': 'The validator of JSON Schema, for programs that only validate.',
  'crosspoint/stores': 'Where state is kept that must outlive a request: the interface, and the store in memory.',
  'crosspoint/stores/redis': 'The store that keeps its state in Redis.',
  'crosspoint/stores/sqlite': 'The store that keeps its state in a SQLite file.',
  'crosspoint/testing/vitest': 'Matchers for vitest.',
  'crosspoint/testing': 'Trying a server or a client without processes and ports.',
};

/** The reference as Markdown pages, one for each entry of the built package, and one that lists them. */
export function referencePages(root, explained) {
  const { own, familiar } = packageEntries();
  const find = explainedIn(explained);
  const exported = new Set(own.flatMap(({ file }) => [...exportsOf(file).values()].map(keyOfMeaning)));
  const pages = own.map((entry) => entryPage(entry, find, exported));
  return [overview(pages, familiar), ...pages];
}

/** The file of the page of an entry; it is made here and not found on a disk. */
export const referenceFile = (name) =>
  `docs/reference/${name
    .replace(/^crosspoint$/, 'index-entry')
    .replace(/^crosspoint\//, '')
    .replaceAll('/', '-')}.md`;

function overview(pages, familiar) {
  const rows = pages.map(
    ({ entry, names }) =>
      `| [\`${entry}\`](${referenceFile(entry).replace('docs/reference/', '')}) | ${names.length} | ${PURPOSES[entry] ?? ''} |`,
  );
  const paths =
    familiar.length === 0
      ? ''
      : `
## Paths of the official SDK

These keep the names of the official SDK, so that only the name of the package changes. What they export is explained in [Coming from v1](../migration/from-v1.md).

${familiar.map((name) => `- \`${name}\``).join('\n')}
`;
  const source = `# API reference

Made from the declarations of the built package: every name that can be imported, with its signature and the words its author wrote.

| Import from | Names | For |
|---|---|---|
${rows.join('\n')}
${paths}`;
  return { file: 'docs/reference/index.md', title: 'Overview', entry: undefined, names: [], source };
}

/** The groups of names; each name is in the first group that it belongs to. */
const GROUPS = [
  { title: 'Classes', belongs: ({ kinds }) => kinds.includes('class') },
  { title: 'Functions', belongs: ({ kinds }) => kinds.includes('function') },
  { title: 'Types', belongs: ({ kinds }) => kinds.every((kind) => kind === 'interface' || kind === 'type') },
  { title: 'Values', belongs: () => true },
];

function entryPage(entry, find, exported) {
  const meanings = exportsOf(entry.file);
  const described = [...meanings]
    .map(([name, value]) => describeExport(name, value))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const file = referenceFile(entry.name);
  const left = new Set(described);
  const parts = GROUPS.map(({ title, belongs }) => {
    const members = [...left].filter(belongs);
    for (const member of members) left.delete(member);
    return members.length === 0 ? '' : `## ${title}\n\n${members.map((item) => itemOf(item, file, find)).join('\n')}`;
  });
  parts.push(
    mentionedPart(mentionedTypes(meanings.values(), exported), new Set(meanings.keys()), (item) =>
      itemOf(item, file, find),
    ),
  );
  const source = `# \`${entry.name}\`\n\n${PURPOSES[entry.name] ?? ''}\n\n${parts.filter((part) => part !== '').join('\n')}`;
  return { file, title: entry.name, entry: entry.name, names: described.map(({ name }) => name), source };
}

/** What exported types consist of. One whose name the page has already is left out: its heading would be found in place of the other. */
function mentionedPart(meanings, taken, write) {
  const described = meanings
    .filter(({ name }) => !taken.has(name) && taken.add(name))
    .map((meaning) => describeExport(meaning.name, meaning))
    .map((item) => ({ ...item, kinds: [...item.kinds, 'not exported'] }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (described.length === 0) return '';
  return `## Parts of these types

Not exported: a program takes them from the type that mentions them, as in \`ClientOptions['cache']\` or \`Parameters<typeof telemetry>[0]\`.

${described.map(write).join('\n')}`;
}

function itemOf(item, file, find) {
  const { name, kinds, signatures, docs, deprecated, members, declaredAs } = item;
  const page = find(name, item.path);
  const where =
    page === undefined
      ? ''
      : `<span>Explained in <a href="${pageLink(page.file, file)}">${escape(page.title)}</a></span>`;
  const tags = [
    ...kinds.map((kind) => `<span class="tag">${escape(kind)}</span>`),
    deprecated === undefined ? '' : '<span class="tag deprecated">deprecated</span>',
  ];
  return `### \`${name}\`

<div class="meta">${tags.join('')}${where}</div>

${declaredAs === undefined ? '' : `Another name for \`${declaredAs}\`. `}${docs}${deprecated ? `\n\nDeprecated: ${deprecated}` : ''}

\`\`\`typescript
${signatures.join('\n')}
\`\`\`

${membersOf(members)}`;
}

const pageLink = (target, file) => relative(file.replace(/\/[^/]*$/, ''), target).replace(/\.md$/, '.html');

/** As HTML: signatures on several lines are more than a list in Markdown can hold. */
function membersOf(members) {
  if (members.length === 0) return '';
  const items = members.map(({ signature, docs, deprecated }) => {
    const mark =
      deprecated === undefined ? '' : `<span class="tag deprecated">deprecated</span> ${inline(deprecated)} `;
    const words = `${mark}${inline(docs)}`;
    return `<li><code>${named(signature)}</code>${words === '' ? '' : `<p>${words}</p>`}</li>`;
  });
  return `<ul class="members">${items.join('').replaceAll('\n', '&#10;')}</ul>\n`;
}

/** The name of a member stands out; more colour would make a long list restless. */
const named = (signature) =>
  escape(signature).replace(/^((?:(?:static|readonly|abstract|override|get|set|async) )*)([\w$]+)/, '$1<b>$2</b>');

const inline = (text) =>
  escape(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
