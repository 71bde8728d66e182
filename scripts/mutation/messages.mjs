// Leaves sentences for people out of the changes: a test that holds every word of a message would only say it twice.

/** Texts of other languages than that of people, which also have spaces. */
const CODE = /^\s*(?:ALTER|BEGIN|COMMIT|CREATE|DELETE|DROP|INSERT|PRAGMA|ROLLBACK|SELECT|UPDATE|WITH|local)\b/;

/** Whether a text is a sentence: three words at least, and no SQL and no Lua. */
export function isSentence(text) {
  return !CODE.test(text) && text.trim().split(/\s+/).length >= 3;
}

/** The text of a literal, an ellipsis for each value in a template; `undefined` for anything else. */
function textOf({ type, value, quasis }) {
  if (type === 'StringLiteral') return value;
  return type === 'TemplateLiteral' ? quasis.map(({ value: { raw } }) => raw).join('…') : undefined;
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'messages',
    value: {
      shouldIgnore({ node }) {
        const text = textOf(node);
        return text !== undefined && isSentence(text) ? 'A sentence for people.' : undefined;
      },
    },
  },
];
