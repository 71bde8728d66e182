// docs/peers.md: its rows, and the page around them.
import { shortened } from './findings.mjs';

const NAME = 1;
const OVER = 3;
const CONNECTED = 5;

/**
 * @typedef {object} Row
 * @property {'server' | 'client'} side
 * @property {string} name of the package
 * @property {string} key of the peer over one transport
 * @property {string} line of the table
 */

const cellsOf = (line) => line.split('|').map((cell) => cell.trim());

/** @returns {Row} */
function toRow(side, line) {
  const cells = cellsOf(line);
  const [, name = ''] = /`(.+?)`/.exec(cells[NAME]) ?? [];
  return { side, name, key: `${side} ${name} ${cells[OVER]}`, line };
}

const toLine = (cells) => `| ${cells.join(' | ')} |`;
const titleOf = ({ name, version }) => `\`${name}\` ${version}`;
const listOf = (words) => words.join(', ') || '–';

/**
 * The row of a peer over one transport.
 * @param {import('./findings.mjs').Findings} found
 */
export function rowOf(peer, { over, revision, connectMs, worked, cannot, failed }) {
  const connected = connectMs === undefined ? '–' : `${(connectMs / 1000).toFixed(1)} s`;
  const because = peer.because === undefined ? '' : ` (${peer.because})`;
  const wrong =
    failed.length === 0 ? '' : `${cannot.length === 0 ? '' : '; '}**fails:** ${failed.join('; ')}${because}`;
  const cells = [titleOf(peer), peer.does, over, revision, listOf(worked.filter((words) => !words.startsWith('0 ')))];
  if (peer.side === 'server') cells.splice(4, 0, connected);
  return toRow(peer.side, toLine([...cells, `${cannot.join(', ')}${wrong}` || '–']));
}

/** The row of a peer that could not be tried at all. */
export const failedRow = (peer, what, error) =>
  rowOf(peer, { over: '–', revision: '–', worked: [], cannot: [], failed: [`${what}: ${shortened(error)}`] });

/** The rows of a page, in its order. */
export function rowsIn(page) {
  let side = 'server';
  const rows = [];
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) side = line.includes('Clients') ? 'client' : 'server';
    if (line.startsWith('| `')) rows.push(toRow(side, line));
  }
  return rows;
}

/** Whether two rows say the same, but for the time. */
export function sameRow(one, other) {
  const compared = ({ side, line }) =>
    cellsOf(line)
      .filter((_, index) => side === 'client' || index !== CONNECTED)
      .join('|');
  return compared(one) === compared(other);
}

const SERVER_HEAD = [
  '| Server | It is | Over | Revision | Connected | Worked | Cannot |',
  '|---|---|---|---|---|---|---|',
];
const CLIENT_HEAD = ['| Client | It is | Over | Revision | Worked | Cannot |', '|---|---|---|---|---|---|'];

/** The rows in the order of the lists. */
const tableOf = (peers, rows, head) => {
  const lines = peers.flatMap(({ side, name }) =>
    rows.filter((row) => row.side === side && row.name === name).map(({ line }) => line),
  );
  return [...head, ...lines].join('\n');
};

/** The page with these rows. */
export const pageOf = (servers, clients, rows) => `# Peers

Published programs of others that Crosspoint was tried with: ${servers.length} servers, driven by our client, and ${clients.length} clients, which drive our server. The tables are written by \`npm run peers -- --write\`, with Node
${process.versions.node.split('.')[0]} on ${process.platform}, and contain what was seen. \`npm run peers\` tries everything again and ends with 1 where something else happens; \`npm run peers -- --only fastmcp\` tries a part.

- The versions are exact, and are listed in \`scripts/peers/servers.mjs\` and \`scripts/peers/clients.mjs\`. Packages are installed without their install scripts.
- Every peer runs with an empty home folder and no account, listens on loopback, and reaches nothing else: a file that is loaded before it makes it so. A tool that needs the network answers with an
  error, and the row says so. Programs that are no JavaScript (Claude Code, Codex, OpenCode) cannot be held to that and are not in the tables.
- **Revision** is the one that was agreed on; neither side is told which. Version 2 of the official SDK and the Inspector speak the newest only when asked to find out, and are asked to. **Connected** is the time from the start of the program, or from its address, to the agreed revision, on a machine with other work.
- **Fails** marks what should have worked.

## Servers

Our client declares elicitation, sampling and roots and begins as it does by default: with \`server/discover\`, then \`initialize\` where that is not known. It reads every list to its last page, calls a tool that
is in the list, reads the first resource, gets a prompt, completes an argument, sets the log level, subscribes, gives up a call, pings, and closes. \`isError\` and "an error" are answers that were expected, as
of a search without a network. *close*: the program ended with its stdin and left no process behind. **Cannot** names what the server does not declare.

${tableOf(servers, rows, SERVER_HEAD)}

## Clients

Our server offers tools (one with structured content, one that reports progress, one that logs, one that is to be cancelled, and three that ask: elicitation, sampling, roots), a resource, a template and a
prompt with completion. A step worked when the client tells the right outcome and our server has seen the request. **Cannot** names what the client has no call for, or does not declare.

${tableOf(clients, rows, CLIENT_HEAD)}
`;
