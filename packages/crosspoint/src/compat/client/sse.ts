export { SSEClientTransport, type SSEClientTransportOptions } from '../../client/index.ts';
export { SseError } from './old-errors.ts';
