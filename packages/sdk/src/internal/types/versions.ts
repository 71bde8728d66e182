import { SUPPORTED_PROTOCOL_VERSIONS as HANDSHAKE_VERSIONS } from 'crosspoint';

export { DEFAULT_NEGOTIATED_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION } from 'crosspoint';

/** A list of its own, because programs change it. */
export const SUPPORTED_PROTOCOL_VERSIONS: string[] = [...HANDSHAKE_VERSIONS];
