export { readSession, type SessionFile } from './read-session.ts';
export { recordSession, type SessionWriter } from './record-session.ts';
export { SessionFileError } from './session-file-error.ts';
export type { SessionLine } from './session-line.ts';
