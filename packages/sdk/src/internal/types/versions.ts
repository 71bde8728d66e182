import { SUPPORTED_PROTOCOL_VERSIONS as HANDSHAKE_VERSIONS } from 'crosspoint';

export { DEFAULT_NEGOTIATED_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION } from 'crosspoint';

/** A list of its own, because programs change it. The last version has no revision here: its messages are those of the one before it. */
export const SUPPORTED_PROTOCOL_VERSIONS: string[] = [...HANDSHAKE_VERSIONS, '2024-10-07'];
