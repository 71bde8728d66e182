import { AuthFlowError } from '../flow-error.ts';

/**
 * Reads the answer from a pasted text: the complete address of the last page, or its query. A code alone is refused, because it could
 * belong to another login.
 */
export function readPastedCallback(text: string): URLSearchParams {
  const trimmed = text.trim();
  const query = URL.canParse(trimmed) ? new URL(trimmed).search : trimmed.slice(Math.max(0, trimmed.indexOf('?')));
  const params = new URLSearchParams(query);
  if (params.has('state') && (params.has('code') || params.has('error'))) return params;
  throw new AuthFlowError(
    'callback',
    'The pasted text is not the address of the last page. Copy the whole address: it begins with http and contains both "code=" and "state=".',
  );
}
