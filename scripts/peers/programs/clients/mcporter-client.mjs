import { configure, runProgram } from './command-line.mjs';
import { tell } from './steps.mjs';

const config = configure('mcporter.json');
const run = async (...given) => (await runProgram('mcporter/dist/cli.js', ['--config', config, ...given])).trim();
await tell({
  tools: async () => JSON.parse(await run('list', 'ours', '--json')).tools.map(({ name }) => name),
  answer: () => run('call', 'ours.add', 'a=2', 'b=40'),
  structured: async () => JSON.parse(await run('call', 'ours.measure', '--output', 'json')),
  read: () => run('resource', 'ours', 'note:///one', '--output', 'text'),
  template: () => run('resource', 'ours', 'page:///7', '--output', 'text'),
});
