// A server over stdio that offers something of everything, in pages of three; some of its texts would act on a terminal.
import { writeFileSync } from 'node:fs';
import { McpServer, ResourceTemplate, completable, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import * as z from 'zod';

const TEAMS = { sales: ['ada', 'alan'], research: ['grace', 'barbara'] };
const server = new McpServer(
  { name: 'offering', version: '1.0.0' },
  { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } }, pageSize: 3 },
);

let note = 'first';
server.registerResource('note', 'note:///one', { mimeType: 'text/plain' }, (uri) => ({
  contents: [
    { uri: uri.href, mimeType: 'text/plain', text: `${note} \u001B[31mred\u001B[0m \u009B31m \u202Eback\nsecond` },
  ],
}));
server.registerResource('bytes', 'note:///bytes', { mimeType: 'image/png' }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: 'image/png', blob: Buffer.from([0, 255, 27, 10]).toString('base64') }],
}));
for (let number = 1; number <= 6; number += 1)
  server.registerResource(`page ${number}`, `note:///page/${number}`, {}, (uri) => ({
    contents: [
      { uri: uri.href, text: `page ${number}` },
      { uri: `${uri.href}#more`, text: 'more' },
    ],
  }));
server.registerResource(
  'profile',
  new ResourceTemplate('people://{team}/{person}{?size}', {
    list: undefined,
    complete: {
      person: (typed) =>
        Object.values(TEAMS)
          .flat()
          .filter((person) => person.startsWith(typed)),
    },
  }),
  {},
  (uri) => ({ contents: [{ uri: uri.href, text: uri.href }] }),
);

server.registerPrompt(
  'introduce',
  {
    description: 'Introduces \u001B[2Jsomebody',
    argsSchema: {
      team: completable(z.string(), (typed) => Object.keys(TEAMS).filter((team) => team.startsWith(typed))),
      person: completable(z.string(), (typed, context) =>
        (TEAMS[context?.arguments?.team] ?? []).filter((person) => person.startsWith(typed)),
      ),
      tone: z.string().optional(),
    },
  },
  (given) => ({ messages: [{ role: 'user', content: { type: 'text', text: `\u001B[1m${JSON.stringify(given)}` } }] }),
);

server.registerTool('save_note', { inputSchema: { text: z.string() } }, async ({ text: next }) => {
  note = next;
  await server.sendResourceUpdated({ uri: 'note:///one' });
  return text('Saved.');
});
server.registerTool('grow', { description: 'Adds a page' }, () => {
  server.registerResource('grown', 'note:///grown', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'grown' }] }));
  return text('Grown.');
});
server.registerTool('say', { inputSchema: { level: z.string(), what: z.string() } }, ({ level, what }, { log }) => {
  log(level, what, 'speaker');
  return text('Said.');
});
server.registerTool('complain', { inputSchema: { what: z.string() } }, ({ what }) => {
  console.error(what);
  return text('Complained.');
});
server.registerTool('flood', { inputSchema: { lines: z.number() } }, ({ lines }) => {
  for (let line = 0; line < lines; line += 1) console.error(String(line).padEnd(1900, '.'));
  return text('Flooded.');
});
server.registerTool('folders', {}, async ({ listRoots }) => text(JSON.stringify(await listRoots())));
server.registerTool(
  'weather_forecast',
  { description: 'Tells whether it rains in a city tomorrow', annotations: { readOnlyHint: true } },
  () => text('It rains.'),
);
server.registerTool('send_mail', { description: 'Sends a letter to a person' }, () => text('Sent.'));

const [pidFile] = process.argv.slice(2);
if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid));
console.error('ready');
await serveStdio(server);
