// The published clients that our server is tried with, in exact versions, and the program that uses each.

/**
 * @typedef {object} PeerClient
 * @property {string} name
 * @property {string} version
 * @property {'client'} side
 * @property {string} does what it is, for the table
 * @property {string} program of `programs/clients/`, or of `scripts/swap/programs/`
 * @property {Record<string, string>} [beside] what the program installs, too
 * @property {Record<string, string>} [env]
 * @property {('stdio' | 'HTTP')[]} [over] its transports; both when absent
 * @property {string} [because] why it fails where it does
 */

const V1 = { '@modelcontextprotocol/sdk': '1.32.2', zod: '4.6.7' };

const client = (name, version, does, rest) => ({ name, version, side: 'client', does, ...rest });

/** @type {readonly PeerClient[]} */
export const CLIENTS = [
  client('@modelcontextprotocol/sdk', '1.32.2', 'the official SDK, version 1', { program: 'v1-client.mjs' }),
  client('@modelcontextprotocol/client', '2.4.0', 'the official SDK, version 2', { program: 'v2-client.mjs' }),
  client('@ai-sdk/mcp', '2.0.96', 'the AI SDK of Vercel', { program: 'ai-sdk-client.mjs' }),
  client('@langchain/mcp-adapters', '1.1.4', 'LangChain', {
    program: 'langchain-client.mjs',
    beside: { '@langchain/core': '1.2.13', '@langchain/langgraph': '1.4.10' },
  }),
  client('@openai/agents-core', '0.20.0', 'the agents SDK of OpenAI', { program: 'openai-agents-client.mjs' }),
  client('@mastra/mcp', '2.0.0', 'Mastra', { program: 'mastra-client.mjs' }),
  client('@llamaindex/tools', '0.2.1', 'LlamaIndex', { program: 'llamaindex-client.mjs' }),
  client('@genkit-ai/mcp', '1.42.0', 'Genkit', { program: 'genkit-client.mjs' }),
  client('@strands-agents/sdk', '1.19.0', 'Strands agents', { program: 'strands-client.mjs', beside: V1 }),
  client('@google/adk', '2.0.0', 'the agents kit of Google', { program: 'adk-client.mjs', beside: V1 }),
  client('@google/genai', '2.32.0', 'the SDK of Gemini', { program: 'genai-client.mjs', beside: V1 }),
  client('@tanstack/ai-mcp', '0.2.5', 'TanStack AI', { program: 'tanstack-client.mjs', beside: V1 }),
  client('@huggingface/mcp-client', '0.2.3', 'tiny agents of Hugging Face', { program: 'huggingface-client.mjs' }),
  client('@mcpjam/sdk', '1.14.0', 'MCPJam', {
    program: 'mcpjam-client.mjs',
    // The version that it was made for: it does not load with later ones.
    beside: { '@modelcontextprotocol/client': '2.0.0-alpha.2' },
  }),
  client('mcp-client', '1.13.1', 'a client with fewer words', { program: 'mcp-client.mjs' }),
  client('@modelcontextprotocol/inspector', '2.12.0', 'the command line of the official Inspector', {
    program: 'inspector-client.mjs',
  }),
  client('mcporter', '0.12.3', 'a command line', { program: 'mcporter-client.mjs' }),
  client('@wong2/mcp-cli', '2.0.0', 'a command line', {
    program: 'mcp-cli-client.mjs',
    over: ['stdio'],
    because: 'it cuts the address of a resource at its first colon',
  }),
  client('@google/gemini-cli', '0.61.0', 'Gemini in a terminal: `gemini mcp list`', {
    program: 'gemini-cli-client.mjs',
  }),
  client('mcp-remote', '0.15.1', 'a bridge, behind a client on v1', {
    program: 'mcp-remote-client.mjs',
    beside: V1,
    over: ['HTTP'],
  }),
  client('mcp-proxy', '6.7.19', 'a bridge, behind a client on v1', {
    program: 'mcp-proxy-client.mjs',
    beside: V1,
    over: ['stdio'],
  }),
  client('supergateway', '4.0.0', 'a bridge, behind a client on v1', {
    program: 'supergateway-client.mjs',
    beside: V1,
    because: 'over HTTP it passes on nothing that our server begins',
  }),
];
