export { StdioServerTransport } from '../../server/stdio.ts';
