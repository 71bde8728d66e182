import { described } from '../../../runtime/described.ts';
import { atOnce } from '../../../runtime/guard.ts';

/** Whether a text can be a session id in a header: 1 to 256 visible ASCII characters. */
export function isSessionId(id: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(id);
}

/** A new id from the program's generator, which is the option of that name. Throws for a value that is no session id. */
export function newSessionId(generate: () => string, option: string): string {
  const id = atOnce(generate(), option);
  if (!isSessionId(id))
    throw new TypeError(
      `${option} must give a session id of 1 to 256 visible ASCII characters, not ${typeof id === 'string' ? `${id.length} characters` : described(id)}.`,
    );
  return id;
}
