/** The revisions that open with a handshake, which is what a version meant in the older SDK. */
import { assumedProtocolRevision, protocolRevisions } from 'crosspoint';

const handshake: readonly string[] = protocolRevisions
  .filter(({ family }) => family === 'handshake')
  .map(({ id }) => id);

/** The newest revision that a handshake can agree on. */
export const LATEST_PROTOCOL_VERSION: string = handshake[0] ?? assumedProtocolRevision;
/** What a request over HTTP is taken for that names no version. */
export const DEFAULT_NEGOTIATED_PROTOCOL_VERSION: string = assumedProtocolRevision;
/** Newest first. The revision without a handshake is not among them: nobody negotiates it. */
export const SUPPORTED_PROTOCOL_VERSIONS: string[] = [...handshake];
