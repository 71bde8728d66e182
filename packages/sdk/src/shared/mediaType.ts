/** `shared/mediaType.js` of v1: the type in a `Content-Type` header. */

/** A type with parameters as RFC 9110 writes them. */
const WELL_FORMED =
  /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\[^])*")\s*)*$/;

/**
 * The type in lower case, without parameters; `undefined` when the header is absent or empty. Of a header with malformed parameters it is the
 * part before them, unless a comma in them shows that two headers were joined.
 */
export function mediaTypeEssence(header: string | null | undefined): string | undefined {
  if (!header) return undefined;
  const essence = WELL_FORMED.exec(header)?.[1];
  if (essence !== undefined) return essence.toLowerCase();
  const [type = '', ...parameters] = header.split(';');
  const found = type.trim().toLowerCase();
  return found === '' || parameters.join(';').includes(',') ? undefined : found;
}

export function isJsonContentType(header: string | null | undefined): boolean {
  return mediaTypeEssence(header) === 'application/json';
}
