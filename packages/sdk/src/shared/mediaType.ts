/** `shared/mediaType.js` of v1: the type in a `Content-Type` header. */

const TYPE = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;([^]*))?$/;

/**
 * The type in lower case, without parameters. `undefined` when the header is absent or empty, or has a comma among its parameters, as two
 * joined headers have. Other errors in parameters are ignored.
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

/** A comma within quotes belongs to a value; an unclosed quote hides nothing. */
function hasBareComma(parameters: string): boolean {
  let opened: number | undefined;
  for (let at = 0; at < parameters.length; at++) {
    const char = parameters[at];
    if (char === '"') opened = opened === undefined ? at : undefined;
    else if (char === '\\' && opened !== undefined) at++;
    else if (char === ',' && opened === undefined) return true;
  }
  return opened !== undefined && parameters.includes(',', opened);
}

export function isJsonContentType(header: string | null | undefined): boolean {
  return mediaTypeEssence(header) === 'application/json';
}
