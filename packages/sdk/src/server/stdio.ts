export { StdioServerTransport } from 'crosspoint/server/stdio';
