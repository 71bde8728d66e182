export { SSEClientTransport, type SSEClientTransportOptions } from '../../client/index.ts';
