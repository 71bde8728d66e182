// Projects that `npm create crosspoint` writes: installed, tested, linted and run as their README says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../runtimes/processes.mjs';
import { freePort, npm } from './folder.mjs';
import { useConfiguration } from './host.mjs';
import { npmCommand } from '../runtimes/install.mjs';

const READY_MS = 60_000;
const EDITORS = ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'];

export const PROJECTS = ['server', 'client'].flatMap((kind) =>
  ['stdio', 'http'].flatMap((transport) =>
    ['typescript', 'javascript'].map((language) => ({ kind, transport, language })),
  ),
);

const configurationsIn = (project) => EDITORS.map((file) => JSON.parse(readFileSync(join(project, file), 'utf8')));

async function runServer(project, transport) {
  if (transport === 'stdio') {
    for (const configuration of configurationsIn(project)) await useConfiguration(configuration, { folder: project });
    return;
  }
  const port = await freePort();
  const env = { PORT: String(port) };
  const server = await serve(npmCommand(['start']), { cwd: project, env, ready: /Serving MCP/, limitMs: READY_MS });
  try {
    const replace = (text) => text.replace(':3000', `:${port}`);
    for (const configuration of configurationsIn(project))
      await useConfiguration(configuration, { folder: project, replace });
  } finally {
    server.stop();
  }
}

async function runClient(project, context) {
  const printed = await npm(['start'], { ...context, cwd: project });
  if (!printed.includes("content: [ { type: 'text', text: 'Hello, Ada!' } ]"))
    throw new Error(`npm start printed ${printed}`);
}

/** One project, from the command to the answer of its tool. `cache` is the one in which npm keeps the command. */
export async function tryProject({ kind, transport, language }, { folder, registry, cache }) {
  const name = `my-${kind}-${transport}-${language}`;
  const flags = [`--${kind}`, `--${transport}`, `--${language}`];
  await npm(['create', '--yes', 'crosspoint', name, '--', ...flags], { cwd: folder, registry, cache });
  const project = join(folder, name);
  const context = { cwd: project, registry };
  await npm(['install'], context);
  await npm(['test'], context);
  await npm(['run', 'lint'], context);
  await (kind === 'server' ? runServer(project, transport) : runClient(project, context));
}
