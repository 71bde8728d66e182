import { runProgram } from './command-line.mjs';
import { args, command, tell, url } from './steps.mjs';

const server = url === undefined ? [command, ...args] : [url, '--transport', 'http'];
const INSPECTOR = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const run = async (method, ...given) =>
  JSON.parse(await runProgram(INSPECTOR, ['--cli', ...server, '--protocol-era', 'auto', '--method', method, ...given]));
await tell({
  tools: async () => (await run('tools/list')).tools.map(({ name }) => name),
  answer: async () =>
    (await run('tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', '--tool-arg', 'b=40')).content[0].text,
  structured: async () => (await run('tools/call', '--tool-name', 'measure')).structuredContent,
  read: async () => (await run('resources/read', '--uri', 'note:///one')).contents[0].text,
  template: async () => (await run('resources/read', '--uri', 'page:///7')).contents[0].text,
  prompt: async () =>
    (await run('prompts/get', '--prompt-name', 'greet', '--prompt-args', 'who=you')).messages[0].content.text,
});
