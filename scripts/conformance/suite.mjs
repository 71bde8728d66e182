import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The newest version that is published for every platform. */
const NODE_VERSION = '22.23.2';
const loopback = pathToFileURL(join(root, 'scripts', 'conformance', 'loopback.mjs')).href;
const program = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** A Node for the suite, which needs 22: the one that runs this script, or one of its own, installed on first use. */
export function suiteNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const folder = join(root, '.cache', `node-${NODE_VERSION}`);
  const binary = join(folder, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  console.error(`Installing Node ${NODE_VERSION} for the conformance suite …`);
  mkdirSync(folder, { recursive: true });
  // Without a package.json npm would look for one further up and install there.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  if (installNode(folder) && existsSync(binary)) return binary;
  throw new Error(
    `Node ${NODE_VERSION} could not be installed from npm; the suite does not start on ${process.version}.`,
  );
}

function installNode(folder) {
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact', `node@${NODE_VERSION}`];
  const options = { cwd: folder, stdio: ['ignore', 2, 2] };
  const npm = process.env['npm_execpath'];
  if (npm) return spawnSync(process.execPath, [npm, ...args], options).status === 0;
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' }).status === 0;
}

/**
 * Runs the suite. Its clients are started with the Node that runs this script, not with the suite's own. A run longer than `limitMs` is killed
 * together with everything it started, and counts as failed. `onoutput` is called with all output so far.
 */
export function runSuite(node, args, limitMs, onoutput = () => {}) {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const child = spawn(node, ['--import', loopback, program, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
  });
  return new Promise((resolve) => {
    let stdout = '';
    let output = '';
    const timer = setTimeout(() => {
      output += `\nThe suite did not end within ${limitMs / 1000} s.`;
      endGroup(child);
    }, limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
      onoutput(stdout);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    const settle = (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, stdout, output });
    };
    child.on('error', (error) => {
      output += error.message;
      settle(1);
    });
    // A hanging client outlives the suite, which ends only the shell around it, and keeps the output open.
    child.on('exit', () => endGroup(child));
    child.on('close', (code) => settle(code));
  });
}

function endGroup(child) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process group has ended already.
  }
}
