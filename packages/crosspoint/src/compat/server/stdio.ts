export { StdioServerTransport } from '../../transports/stdio/server-entry.ts';
