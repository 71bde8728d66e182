import { MCPServer, MCPTool } from 'mcp-framework';
import { z } from 'zod';

class AddTool extends MCPTool {
  name = 'add';
  description = 'Adds two numbers';
  schema = z.object({ a: z.number().describe('the first'), b: z.number().describe('the second') });
  async execute({ a, b }) {
    return String(a + b);
  }
}

const server = new MCPServer({ name: 'mcp-framework', version: '1.0.0', transport: { type: 'stdio' } });
server.addTool(AddTool);
await server.start();
