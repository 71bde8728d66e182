export {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  getDefaultEnvironment,
  type StdioServerParameters,
} from 'crosspoint/client/stdio';
