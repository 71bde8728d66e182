import { isSecretName } from '@crosspoint/gateway/program';

const PAIR = /^-{0,2}([^=:\s]+)(?::?=)([\s\S]+)$/;
const OPTION = /^--?([A-Za-z][\w.-]*)$/;
/** Values that name the place of a secret in place of the secret. */
const PLACE = /^(?:@|env:)/;
const MEMBER = /"([^"]*)"\s{0,20}:/g;
const QUERY_NAME = /[?&]([^=&#?]+)=/g;
const USER_INFO = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;
/** Beginnings that services give to their tokens, and the schemes of the header Authorization. */
const TOKEN =
  /\b(?:bearer|basic)\s+\S|\b(?:sk-|sk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|npm_|hf_|eyJ)[\w.-]{10,}/i;

/** Whether a secret is probably among the words: by a name before it, or by its look. Such a line is not written down. */
export function holdsSecret(words: readonly string[]): boolean {
  return words.some((word, at) => {
    if (TOKEN.test(word) || USER_INFO.test(word)) return true;
    const [, name, value = ''] = PAIR.exec(word) ?? [];
    if (name !== undefined && isSecretName(name) && !PLACE.test(value)) return true;
    const [, option] = OPTION.exec(word) ?? [];
    const next = words[at + 1];
    if (option !== undefined && isSecretName(option) && next !== undefined && !/^(?:@|env:|-)/.test(next)) return true;
    const names = [...word.matchAll(MEMBER), ...word.matchAll(QUERY_NAME)];
    return names.some(([, one = '']) => isSecretName(one));
  });
}
