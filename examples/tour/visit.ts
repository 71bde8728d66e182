import type { Client } from 'crosspoint/client';

/** Explores a server that the client is connected to, and prints what it finds. */
export async function visit(client: Client): Promise<void> {
  show('server', `${client.getServerVersion()?.name ?? '?'} ${client.getServerVersion()?.version ?? ''}`);
  show('capabilities', Object.keys(client.getServerCapabilities() ?? {}).join(', '));
  const { tools } = await client.listTools();
  show('tools', tools.map((tool) => tool.name).join(', '));
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  show(
    'resources',
    [...resources.map((resource) => resource.uri), ...resourceTemplates.map((template) => template.uriTemplate)].join(
      ', ',
    ),
  );
  const { prompts } = await client.listPrompts();
  show('prompts', prompts.map((prompt) => prompt.name).join(', '));

  const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } });
  show('add 2 40', JSON.stringify(sum.structuredContent ?? sum.content));
  const wrong = await client.callTool({ name: 'add', arguments: { a: 'two', b: 40 } }).catch((error: unknown) => error);
  show('add "two" 40', wrong instanceof Error ? `error: ${wrong.message}` : firstText(wrong));
  const steps: number[] = [];
  await client.callTool(
    { name: 'count', arguments: { to: 5 } },
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  show('count 5', `progress ${steps.join(' ')}`);
  const welcome = await client.callTool({ name: 'welcome' }).catch((error: unknown) => error);
  show('welcome', welcome instanceof Error ? `error: ${welcome.message}` : firstText(welcome));
  const greeting = await client.readResource({ uri: 'greeting://Bergen' });
  show('greeting', firstText({ content: greeting.contents }));
  const completion = await client.complete({
    ref: { type: 'ref/prompt', name: 'postcard' },
    argument: { name: 'city', value: 'be' },
  });
  show('complete "be"', completion.completion.values.join(', '));
}

function show(label: string, value: string): void {
  console.log(`  ${label.padEnd(14)} ${value.replaceAll('\n', ' ')}`);
}

function firstText(result: unknown): string {
  const { content } = result as { content?: { text?: string }[] };
  return content?.[0]?.text ?? JSON.stringify(result);
}
