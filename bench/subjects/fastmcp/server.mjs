import { FastMCP } from 'fastmcp';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

const silent = { debug() {}, error() {}, info() {}, log() {}, warn() {} };

/** Pings and log lines are off: they would be measured as well. */
export function createServer(options) {
  const server = new FastMCP({ ...SERVER_INFO, logger: silent, ping: { enabled: false } });
  for (const { name, description, input, output, run } of toolsOf(options)) {
    const outputSchema = output ? { outputSchema: output } : {};
    server.addTool({ name, description, parameters: input, ...outputSchema, execute: async (args) => run(args) });
  }
  return server;
}
