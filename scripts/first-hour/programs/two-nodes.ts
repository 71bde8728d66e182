import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';

/** Sends the requests of one session to two nodes by turns. */
async function main(): Promise<void> {
  const nodes = process.argv.slice(2);
  let turn = 0;
  const transport = new StreamableHTTPClientTransport(new URL(nodes[0] ?? ''), {
    fetch: (url, init) => fetch(init?.method === 'POST' ? (nodes[turn++ % nodes.length] ?? url) : url, init),
  });
  const client = new Client({ name: 'visitor', version: '1.0.0' }, { revisions: 'handshake' });
  await client.connect(transport);
  const answers = [await client.callTool({ name: 'where' }), await client.callTool({ name: 'where' })];
  const said = answers.map(({ content: [first] }) => (first?.type === 'text' ? first.text : ''));
  console.log(JSON.stringify(said.sort()));
  await client.close();
}

void main();
