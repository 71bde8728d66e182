export {
  StreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions,
} from '../../server/index.ts';
export type { EventId, StreamId } from './web-standard-streamable-http.ts';
