import { AuthFlowError } from '../flow-error.ts';

/**
 * The answer in what a user pasted: the whole address of the page that the browser ended up on, or its query. A code alone cannot be told
 * from somebody else's, so it is not taken.
 */
export function readPastedCallback(text: string): URLSearchParams {
  const trimmed = text.trim();
  const query = URL.canParse(trimmed) ? new URL(trimmed).search : trimmed.slice(Math.max(0, trimmed.indexOf('?')));
  const params = new URLSearchParams(query);
  if (params.has('state') && (params.has('code') || params.has('error'))) return params;
  throw new AuthFlowError(
    'callback',
    'That is not the address that the browser ended up on. Copy all of it: it begins with http and holds both "code=" and "state=".',
  );
}
