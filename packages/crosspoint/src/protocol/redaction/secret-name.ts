/** Characters at the end of a name by which it is judged. */
const TAIL = 64;

/** Ends of secret names, in lower case and without separators, so that `x-api-key`, `apiKey` and `API_KEY` match alike. No ordinary word ends in these. */
const SECRET_END =
  /(?:authorization|cookies?|passwords?|passwd|passphrase|passcode|pwd|secrets?|token|credentials?|(?:api|access|account|auth|encryption|hmac|jwt|license|master|private|secret|service|session|shared|signing|ssh)keys?|connectionstring|sessionid|phpsessid)$/;
/** Short words that are also the end of ordinary ones (`compass`, `acid`): they count as whole words only. */
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

/** Like `isSecretName`, for a text or a number. An object with such a name (`auth: { … }`) is not masked whole: its members are judged by their own names. */
export function isSecretScalarName(name: string): boolean {
  if (isSecretName(name)) return true;
  const tail = name.slice(-TAIL);
  return SECRET_WORD.test(tail) || SECRET_CAMEL_WORD.test(tail);
}
