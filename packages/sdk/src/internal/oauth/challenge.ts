const HEADER = 'WWW-Authenticate';

/** The header from its bearer challenge on. */
function bearerChallenge(response: Response): string | undefined {
  const header = response.headers.get(HEADER) ?? '';
  const start = header.search(/(?:^|,)\s*bearer\s+\S/i);
  return start === -1 ? undefined : header.slice(start);
}

const PARAMETERS = {
  resource_metadata: /(?:^|[\s,])resource_metadata=(?:"([^"]+)"|([^\s,"]+))/,
  scope: /(?:^|[\s,])scope=(?:"([^"]+)"|([^\s,"]+))/,
  error: /(?:^|[\s,])error=(?:"([^"]+)"|([^\s,"]+))/,
} as const;

function parameter(challenge: string, name: keyof typeof PARAMETERS): string | undefined {
  const found = PARAMETERS[name].exec(challenge);
  return found?.[1] ?? found?.[2];
}

const addressOf = (text: string | undefined): URL | undefined =>
  text !== undefined && URL.canParse(text) ? new URL(text) : undefined;

/** Parameters of the bearer challenge; an empty object where there is none. */
export function extractWWWAuthenticateParams(res: Response): {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
  error?: string | undefined;
} {
  const challenge = bearerChallenge(res);
  if (challenge === undefined) return {};
  return {
    resourceMetadataUrl: addressOf(parameter(challenge, 'resource_metadata')),
    scope: parameter(challenge, 'scope'),
    error: parameter(challenge, 'error'),
  };
}

/** @deprecated `extractWWWAuthenticateParams` reads it with the rest. */
export function extractResourceMetadataUrl(res: Response): URL | undefined {
  return extractWWWAuthenticateParams(res).resourceMetadataUrl;
}
