export {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type StreamableHTTPReconnectionOptions,
} from 'crosspoint/client';
export { StreamableHTTPError } from '../internal/client/old-errors.ts';

/** How a stream is opened or resumed. */
export interface StartSSEOptions {
  /** Id of the last event that was read. */
  resumptionToken?: string;
  onresumptiontoken?: (token: string) => void;
  /** Id of the request whose answer the stream resumes. */
  replayMessageId?: string | number;
}
