// Runs `npm start` as a newcomer would, waits until it says that it is ready, asks it something, and interrupts it.
import { spawn } from 'node:child_process';

const child = spawn('npm', ['start'], { env: { ...process.env, PORT: '3000' }, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
let output = '';
const fail = (why) => {
  console.error(`npm start ${why}`);
  process.kill(-child.pid, 'SIGKILL');
  process.exit(1);
};
const timer = setTimeout(() => fail('was not ready within 120 s.'), 120_000);
child.on('exit', (code) => {
  if (!output.includes('Ready.')) fail(`ended with ${code} before it was ready.`);
});
child.stdout.on('data', async (chunk) => {
  process.stdout.write(chunk);
  const before = output.includes('Ready.');
  output += chunk;
  if (before || !output.includes('Ready.')) return;
  clearTimeout(timer);
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output) ?? [];
  const params = { protocolVersion: 'any', capabilities: {}, clientInfo: { name: 'ci', version: '1' } };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  if (answer.status !== 200) fail(`answered ${answer.status}.`);
  const patience = setTimeout(() => fail('did not end within 20 s of being interrupted.'), 20_000);
  child.on('close', () => clearTimeout(patience));
  process.kill(-child.pid, 'SIGINT');
});
