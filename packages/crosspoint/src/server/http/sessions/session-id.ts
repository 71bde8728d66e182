import { atOnce } from '../../../runtime/guard.ts';

/** Whether a header can carry this text as the id of a session. */
export function isSessionId(id: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(id);
}

/** A new id from the program's generator, which the option of that name holds. Throws where it gives something else. */
export function newSessionId(generate: () => string, option: string): string {
  const id = atOnce(generate(), option);
  if (!isSessionId(id)) throw new TypeError('A session id is of visible ASCII characters, 256 at most.');
  return id;
}
