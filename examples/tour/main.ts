/** Starts the demonstration server over stdio once for each protocol revision, and shows what a client sees of it. */
import { fileURLToPath } from 'node:url';
import { protocolRevisions } from 'crosspoint';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';

const server = fileURLToPath(new URL('../demo-server/stdio.js', import.meta.url));

async function visit(revision: string): Promise<void> {
  const client = new Client({ name: 'crosspoint-tour', version: '1.0.0' }, { revisions: [revision] });
  const transport = new StdioClientTransport({ command: process.execPath, args: [server] });
  const started = performance.now();
  await client.connect(transport);
  const ms = Math.round(performance.now() - started);
  console.log(`\n${revision}  (${client.family ?? '?'} family, connected in ${ms} ms)`);
  show('server', `${client.getServerVersion()?.name ?? '?'} ${client.getServerVersion()?.version ?? ''}`);
  show('capabilities', Object.keys(client.getServerCapabilities() ?? {}).join(', '));
  const { tools } = await client.listTools();
  show('tools', tools.map((tool) => tool.name).join(', '));
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  show('resources', [...resources.map((resource) => resource.uri), ...resourceTemplates.map((template) => template.uriTemplate)].join(', '));
  const { prompts } = await client.listPrompts();
  show('prompts', prompts.map((prompt) => prompt.name).join(', '));

  const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } });
  show('add 2 40', JSON.stringify(sum.structuredContent ?? sum.content));
  const wrong = await client.callTool({ name: 'add', arguments: { a: 'two', b: 40 } }).catch((error: unknown) => error);
  show('add "two" 40', wrong instanceof Error ? `error: ${wrong.message}` : firstText(wrong));
  const steps: number[] = [];
  await client.callTool({ name: 'count', arguments: { to: 5 } }, { onprogress: ({ progress }) => steps.push(progress) });
  show('count 5', `progress ${steps.join(' ')}`);
  const greeting = await client.readResource({ uri: 'greeting://Bergen' });
  show('greeting', firstText({ content: greeting.contents }));
  const completion = await client.complete({ ref: { type: 'ref/prompt', name: 'postcard' }, argument: { name: 'city', value: 'be' } });
  show('complete "be"', completion.completion.values.join(', '));
  await client.close();
}

function show(label: string, value: string): void {
  console.log(`  ${label.padEnd(14)} ${value.replaceAll('\n', ' ')}`);
}

function firstText(result: unknown): string {
  const { content } = result as { content?: { text?: string }[] };
  return content?.[0]?.text ?? JSON.stringify(result);
}

console.log('Crosspoint: one server, one client, every revision of the Model Context Protocol, over stdio.');
for (const { id } of protocolRevisions) await visit(id);
console.log('\nThe server is examples/demo-server/demo-server.ts; this tour is examples/tour/main.ts.');
