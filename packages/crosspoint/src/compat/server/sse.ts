export { SSEServerTransport, type SSEServerTransportOptions } from '../../server/index.ts';
