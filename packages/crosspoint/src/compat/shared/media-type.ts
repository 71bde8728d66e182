/** `shared/mediaType.js` of the older SDK: the type a `Content-Type` header names. */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?:;([^]*))?$`);

/**
 * The type in lower case and without parameters; `undefined` when the header is absent or empty, or holds a comma among its parameters, which is how
 * two headers look that were joined. Parameters that are broken in other ways do not matter.
 */
export function mediaTypeEssence(header: string | null | undefined): string | undefined {
  if (!header) return undefined;
  const found = TYPE.exec(header);
  const [essence = '', parameters] = found === null ? splitAtSemicolon(header) : [found[1], found[2]];
  if (essence === '' || (found === null && header.includes(','))) return undefined;
  return hasBareComma(parameters ?? '') ? undefined : essence.toLowerCase();
}

function splitAtSemicolon(header: string): [string, string] {
  const [essence = '', ...rest] = header.split(';');
  return [essence.trim(), rest.join(';')];
}

/** A comma within quotes belongs to a value. */
function hasBareComma(parameters: string): boolean {
  return parameters.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').includes(',');
}

export function isJsonContentType(header: string | null | undefined): boolean {
  return mediaTypeEssence(header) === 'application/json';
}
