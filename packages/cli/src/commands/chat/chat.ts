import { defineCommand, type Command } from '../../grammar/command.ts';

export const chat: Command = defineCommand({
  path: ['chat'],
  says: 'Talk to a model that uses the tools of servers.',
  about:
    'Every call that the model wants is decided on by your policy; where that has no word on it, you are asked at the terminal, or --rules answers, or the command ends with exit code 8. Servers are kept connections, configured names, addresses and files; one command may follow "--". With --prompt, or when stdin is piped, the model answers once; otherwise you talk to it, Ctrl-C stops an answer and Ctrl-D ends.\n\nThe key comes from ANTHROPIC_API_KEY or OPENAI_API_KEY, or from --key; it is never an argument. An address of --base-url gets no key but that of --key. The packages of the providers are installed beside: npm install --global @anthropic-ai/sdk, or openai.',
  target: 'command',
  targetOptions: ['env', 'cwd', 'root', 'rules'],
  arguments: [{ name: 'server', says: 'the servers', isOptional: true, isMany: true, completes: 'server' }],
  options: {
    prompt: { type: 'text', value: 'TEXT', says: 'Your words; the command ends with the answer.' },
    model: { type: 'text', value: 'NAME', says: 'The model; CROSSPOINT_MODEL when absent.' },
    provider: {
      type: 'text',
      value: 'PROVIDER',
      words: ['anthropic', 'openai'],
      says: 'The API: CROSSPOINT_PROVIDER when absent, else openai with --base-url, else the one whose key is set.',
    },
    'base-url': {
      type: 'text',
      value: 'URL',
      says: 'Another address that speaks this API, such as http://127.0.0.1:11434/v1; CROSSPOINT_BASE_URL when absent.',
    },
    key: {
      type: 'text',
      value: '@FILE|env:NAME|secret:NAME',
      says: 'Where the key is: a file, a variable, or a secret that crosspoint secrets keeps.',
    },
    system: { type: 'text', value: 'FILE', completes: 'file', says: 'Words to the model before the conversation.' },
    rounds: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 10_000,
      isWhole: true,
      says: 'The most requests to the model; 50 when absent.',
    },
    tokens: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 1_000_000_000,
      isWhole: true,
      says: 'The most tokens sent and received; no limit when absent.',
    },
    resume: { type: 'text', value: 'ID', says: 'Go on with an earlier conversation, whose id was told at its end.' },
  },
  examples: [
    { line: 'crosspoint chat files tracker --model claude-sonnet-5-5', says: 'Talks, with the tools of two servers.' },
    {
      line: "crosspoint chat --model qwen3 --base-url http://127.0.0.1:11434/v1 --prompt 'Add 1 and 2' -- node server.mjs",
      says: 'Asks a model of this machine once.',
    },
  ],
  prints:
    'a line for each step: { type: "begin" | "text" | "call" | "result" | "question" | "progress" | "usage" | …, … }, the last of them { type: "end", id, reason, detail, text, usage, rounds }',
  async run({ target, words, options }, context) {
    const { talk } = await import('./talking.ts');
    return talk({ target, words, ...options }, context);
  },
});
