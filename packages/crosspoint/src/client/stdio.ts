export { TransportClient } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export type { ConnectOptions } from './connecting/connect-options.ts';
export { InputRequiredError } from './calls/input-rounds.ts';
export type { RequestOptions } from './calls/request-options.ts';
export { ToolCallError } from './calls/typed-client.ts';

export { isProtocolError, ProtocolError, TransportError } from '../protocol/errors.ts';
export { StdioClientTransport } from '../transports/stdio/client.ts';
export type { StdioServerParameters } from '../transports/stdio/client.ts';
export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from '../transports/stdio/environment.ts';
export type { Transport } from '../transports/transport.ts';
