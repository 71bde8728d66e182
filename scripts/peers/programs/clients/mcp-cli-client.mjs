import { configure, runProgram } from './command-line.mjs';
import { tell } from './steps.mjs';

const config = configure('mcp-cli.json');
const run = async (...given) =>
  JSON.parse(await runProgram('@wong2/mcp-cli/src/cli.js', ['--config', config, ...given]));
await tell({
  answer: async () => (await run('call-tool', 'ours:add', '--args', '{"a":2,"b":40}')).content[0].text,
  structured: async () => (await run('call-tool', 'ours:measure')).structuredContent,
  read: async () => {
    const { contents, error } = await run('read-resource', 'ours:note:///one');
    return contents?.[0]?.text ?? { error };
  },
  prompt: async () => (await run('get-prompt', 'ours:greet', '--args', '{"who":"you"}')).messages[0].content.text,
});
