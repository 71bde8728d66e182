export { StdioClientTransport } from './client.ts';
export type { StdioServerParameters } from './client.ts';
export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from './environment.ts';
