/** Names longer than this are judged by their end. */
const TAIL = 64;

/** Judged without separators and in lower case, so that `x-api-key`, `apiKey` and `API_KEY` are the same. No ordinary word ends in these. */
const SECRET_END =
  /(?:authorization|cookies?|passwords?|passwd|passphrase|passcode|pwd|secrets?|token|credentials?|(?:api|access|account|auth|encryption|hmac|jwt|license|master|private|secret|service|session|shared|signing|ssh)keys?|connectionstring|sessionid|phpsessid)$/;
/** Short words that are also the end of others (`compass`, `acid`): they count as whole words only. */
const SECRET_WORD = /(?:^|[^A-Za-z])(?:auth|bearer|dsn|pass|sid)$/i;
const SECRET_CAMEL_WORD = /[a-z\d](?:Auth|Bearer|Dsn|Pass|Sid)$/;

/** Whether a member, flag or variable of this name usually holds a secret, whatever its value is. */
export function isSecretName(name: string): boolean {
  return SECRET_END.test(
    name
      .slice(-TAIL)
      .replaceAll(/[\s_.$-]/g, '')
      .toLowerCase(),
  );
}

/** The same for a text or number: an object of such a name (`auth: { … }`) has members that are judged by their own. */
export function isSecretScalarName(name: string): boolean {
  if (isSecretName(name)) return true;
  const tail = name.slice(-TAIL);
  return SECRET_WORD.test(tail) || SECRET_CAMEL_WORD.test(tail);
}
