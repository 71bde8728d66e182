export {
  StreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions,
} from '../../server/index.ts';
