export { SSEClientTransport, type SSEClientTransportOptions } from 'crosspoint/client';
export { SseError } from '../internal/client/old-errors.ts';
