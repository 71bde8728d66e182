export {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type StreamableHTTPReconnectionOptions,
} from 'crosspoint/client';
export { StreamableHTTPError } from '../internal/client/old-errors.ts';

/** How a stream is begun, or gone on with. */
export interface StartSSEOptions {
  /** The last event that was seen. */
  resumptionToken?: string;
  onresumptiontoken?: (token: string) => void;
  /** The request whose answer the stream is to bring, under the id that the client gave it. */
  replayMessageId?: string | number;
}
