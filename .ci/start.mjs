// Runs `npm start` as a newcomer would, waits until it says that it is ready, asks it something, interrupts it, and looks for what is left.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const child = spawn('npm', ['start'], { env: { ...process.env, PORT: '3000' }, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
let output = '';
const fail = (why) => {
  console.error(`npm start ${why}`);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
  process.exit(1);
};

/** The processes that a process has started, and those that they have started; none where there is no /proc. */
function startedBy(pid) {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? (readFileSync(file, 'utf8').match(/\d+/g) ?? []) : [];
  return children.flatMap((one) => [one, ...startedBy(one)]);
}

/** Ends it as Ctrl-C does, and waits until it has ended with everything that it started. */
async function interrupt() {
  const servers = (output.match(/^ {2}demo-\d{4}-\d\d-\d\d .* 5 tools$/gm) ?? []).length;
  if (servers !== 5) fail(`opened ${servers} of 5 servers that speak one revision.`);
  const started = startedBy(child.pid);
  const patience = setTimeout(() => fail('did not end within 20 s of being interrupted.'), 20_000);
  const ended = new Promise((resolve) => child.on('close', resolve));
  process.kill(-child.pid, 'SIGINT');
  await ended;
  clearTimeout(patience);
  const left = () => started.filter((pid) => existsSync(`/proc/${pid}`));
  for (let waited = 0; waited < 50 && left().length > 0; waited += 1) await pause(100);
  if (left().length > 0) fail(`left the processes ${left().join(', ')} behind.`);
}

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
  await interrupt();
});
