export {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  getDefaultEnvironment,
  type StdioServerParameters,
} from '../../client/stdio.ts';
