/** The script of the page: a client in the browser, connected to the server that the page came from. */
import { Client } from 'crosspoint/client';

async function visit(): Promise<string[]> {
  const client = new Client({ name: 'crosspoint-page', version: '1.0.0' });
  await client.connect(new URL('/mcp', location.href));
  const { tools } = await client.listTools();
  const steps: number[] = [];
  await client.callTool(
    { name: 'count', arguments: { to: 3 } },
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } });
  const lines = [
    `Connected to ${client.getServerVersion()?.name ?? '?'}, ${client.getNegotiatedProtocolVersion() ?? '?'}.`,
    `Tools: ${tools.map((tool) => tool.name).join(', ')}`,
    `Progress: ${steps.join(' ')}`,
    `2 + 40: ${JSON.stringify(sum.structuredContent)}`,
  ];
  await client.close();
  return lines;
}

function show(text: string): void {
  const output = document.querySelector('output');
  if (output) output.textContent = text;
}

visit().then(
  (lines) => show(lines.join('\n')),
  (error: unknown) => show(String(error)),
);
