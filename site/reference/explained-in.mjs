/** Pages that name things without explaining them. */
const NOT_AN_EXPLANATION = /^docs\/(?:migration|decisions|performance|troubleshooting|index)/;

/** Names that many pages mention and one explains. */
const PINNED = new Map([
  ['McpServer', 'guide/first-server'],
  ['Client', 'guide/first-client'],
  ['ServerContext', 'guide/tools'],
  ['ProtocolError', 'guide/errors'],
  ['McpError', 'guide/errors'],
  ['ToolError', 'guide/errors'],
  ['TransportError', 'guide/errors'],
]);

/** The page for the names of a file, by the declaring file; the first match applies. */
const TOPICS = [
  [/skills/, 'guide/skills'],
  [/\bapps\b|\bui\b/, 'guide/apps'],
  [/openapi|open-api/, 'guide/openapi'],
  [/telemetry/, 'guide/telemetry'],
  [/middleware|protocol\/operation/, 'guide/middleware'],
  [/composition|server-source/, 'guide/composition'],
  [/define-|typed/, 'guide/types'],
  [/^testing\//, 'guide/testing'],
  [/tasks?\b|experimental/, 'guide/tasks'],
  [/asking|elicitation|input-rounds|ask-checks|form-fields|url-consent|protocol\/outcome/, 'guide/asking'],
  [/sampling|choose-model/, 'guide/sampling'],
  [/roots/, 'guide/roots'],
  [/^auth\/server\/|needed-scopes/, 'guide/authorization-server'],
  [/^auth\/|client-auth|lazy-authorizer/, 'guide/authorization-client'],
  [/limiter|rate-limit|keyed|idempotency/, 'guide/limits-and-retries'],
  [/stores\//, 'stores'],
  [/listen|watch|list-changes/, 'guide/watching'],
  [/cache|listing/, 'guide/caching'],
  [/complet/, 'guide/completion'],
  [/logging/, 'guide/logging'],
  [/progress/, 'guide/progress-and-cancellation'],
  [/errors?\.|failure/, 'guide/errors'],
  [/extension/, 'guide/extensions'],
  [/^schema\/|output-checks|result-schema/, 'guide/structured-output'],
  [/prompts/, 'guide/prompts'],
  [/resource|uri-template/, 'guide/resources'],
  [/tools|content|registrations|context\.|registry/, 'guide/tools'],
  [/icon/, 'guide/security'],
  [/stdio/, 'guide/stdio'],
  [/server\/http|transports\/http\/(?!client|sse-client)/, 'http'],
  [/transports\/http|verdicts|connecting|healing|heartbeat|http-client|sse-client/, 'connecting'],
  [/revisions|capabilities|jsonrpc|implementation|meta/, 'guide/versions'],
  [/^client\//, 'guide/first-client'],
  [/^server\//, 'guide/first-server'],
];

/** Finds the page that explains a name: the first that mentions it, or else the one on the topic of the declaring file. */
export function explainedIn(pages) {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const candidates = pages
    .filter(({ file }) => !NOT_AN_EXPLANATION.test(file))
    .map((page) => {
      const words = page.source.replaceAll(/^```[\s\S]*?^```/gm, '');
      return { page, inline: (words.match(/`[^`\n]+`/g) ?? []).join(' ') };
    });
  return (name, path) => {
    const pinned = byFile.get(`docs/${PINNED.get(name)}.md`);
    if (pinned !== undefined) return pinned;
    const isNamed = new RegExp(`(?<![\\w$-])${name.replaceAll('$', '\\$')}(?![\\w$-])`);
    const said = candidates.find(({ inline }) => isNamed.test(inline))?.page;
    const topics = TOPICS.filter(([about]) => path !== undefined && about.test(path)).map(
      ([, topic]) => `docs/${topic}.md`,
    );
    return said ?? topics.map((file) => byFile.get(file)).find((page) => page !== undefined);
  };
}
