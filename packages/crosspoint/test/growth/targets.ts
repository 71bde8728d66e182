import { parseChallenges, writeChallenge } from '../../src/auth/challenge.ts';
import { classifyAddress } from '../../src/auth/outbound/address-class.ts';
import { isLoopbackName } from '../../src/auth/outbound/policy.ts';
import { readPastedCallback } from '../../src/auth/client/login/read-callback.ts';
import { validateClientMetadataUrl } from '../../src/auth/client/register-client.ts';
import { resourceCovers, scopeCovers, scopeUnion } from '../../src/auth/resource-identifier.ts';
import { documentAddressFault } from '../../src/auth/server/client-id-document.ts';
import { readClientMetadata } from '../../src/auth/server/client-metadata.ts';
import { printable } from '../../src/auth/server/oauth-fault.ts';
import { escapeHtml } from '../../src/auth/server/pages.ts';
import { requireSingle } from '../../src/auth/server/request-params.ts';
import { coversScopes, readScopes } from '../../src/auth/server/scopes.ts';
import { rootFault } from '../../src/client/ask-checks.ts';
import { imageFacts } from '../../src/client/icon-image.ts';
import { isSafeIconSource } from '../../src/client/icons.ts';
import { resolveReference } from '../../src/client/skills/skill-reference.ts';
import { describeUrl } from '../../src/client/url-consent.ts';
import { mediaTypeEssence } from '../../src/compat/shared/media-type.ts';
import { ReadBuffer } from '../../src/compat/shared/stdio.ts';
import { validateToolName } from '../../src/compat/shared/tool-name.ts';
import { documentFault, isOrigin, uiResourceFault } from '../../src/extensions/apps/ui-resource.ts';
import { differences, readManifest } from '../../src/extensions/skills/front-matter.ts';
import { skillFault, skillRoot } from '../../src/extensions/skills/skill-entry.ts';
import { oneLine } from '../../src/jsonrpc/serialise.ts';
import { annotationsFault, isBase64, isMimeType, resourceContentsFault } from '../../src/protocol/content.ts';
import { formSchema } from '../../src/protocol/elicitation-form.ts';
import { isValidExtensionId, isValidMetaKey } from '../../src/protocol/meta.ts';
import { mirrors, readMirroredParams } from '../../src/protocol/mirrored-params.ts';
import { redact } from '../../src/protocol/redact.ts';
import { redactText } from '../../src/protocol/redact-text.ts';
import { isAbsoluteUri } from '../../src/protocol/resources.ts';
import { isSecretScalarName } from '../../src/protocol/secret-name.ts';
import { isRecommendedToolName } from '../../src/protocol/tools.ts';
import { isFormat } from '../../src/schema/formats.ts';
import { parsePattern } from '../../src/schema/pattern/parse-pattern.ts';
import { rewritePointer } from '../../src/schema/rewrite-pointer.ts';
import { formatPath } from '../../src/schema/validation-issue.ts';
import { validateHostHeader, validateOriginHeader } from '../../src/server/http/host-validation.ts';
import { mimeTypeOf } from '../../src/server/skills/skill-paths.ts';
import { eventFeed } from '../../src/transports/http/client-body.ts';
import { describeFailure, saysSessionLost } from '../../src/transports/http/client-failure.ts';
import { preflightHeaders } from '../../src/transports/http/cors.ts';
import { refusal } from '../../src/transports/http/guards.ts';
import { accepts, isJson } from '../../src/transports/http/media.ts';
import { splitEventId } from '../../src/transports/http/session-events.ts';
import { isSecretName, maskArguments, maskValues } from '../../src/transports/stdio/secrets.ts';
import { StderrTail } from '../../src/transports/stdio/stderr-tail.ts';
import { isHeaderText, readHeaderValue, writeHeaderValue } from '../../src/wire/header-value.ts';
import { outlineOf } from '../../src/wire/message-outline.ts';
import { LineSplitter } from '../../src/wire/ndjson.ts';
import { unsafeVariable } from '../../src/wire/safe-variables.ts';
import { writeSseEvent } from '../../src/wire/sse.ts';
import { UriTemplate } from '../../src/wire/uri-template.ts';
import type { HttpRequest } from '../../src/transports/http/exchange.ts';

export interface Target {
  readonly run: (text: string) => unknown;
  /** Repeated to make hostile texts, beside those that all targets get. */
  readonly atoms?: readonly string[];
  /** Where only the length of the text matters. */
  readonly only?: readonly string[];
  /** Put before and after, where the text would otherwise be refused at its first character. */
  readonly around?: readonly (readonly [string, string])[];
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const request = (name: string, value: string): HttpRequest =>
  ({ isLoopback: true, header: (asked: string) => (asked === name ? value : undefined) }) as unknown as HttpRequest;

/** One character at a time, which is the worst that a stream can do. */
function inPieces(text: string, take: (piece: Uint8Array) => unknown): void {
  for (const byte of bytes(text)) take(Uint8Array.of(byte));
}

const template = new UriTemplate('note:///{a}/{+b}{?c,d*}{#e}');
const skill = { uri: 'skill://a/SKILL.md', resources: 'dynamic' } as never;
const FORMATS = [
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid'],
  ...['json-pointer', 'relative-json-pointer', 'regex'],
];

/** Every parser, matcher and masker of text that a peer may have written. */
export const TARGETS: Readonly<Record<string, Target>> = {
  redactText: {
    run: redactText,
    atoms: [
      ...['-eyJAAAAAAAAA', 'eyJaaaaaaaa.', '.eyJ', 'sk-', 'token=', 'token="', 'password: ', 'bearer ', '://a:', '@'],
      ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN ', '-----END ', '\\"password\\":\\"', "cookie: '", 'api key '],
      ...['Authorization: Digest a="', 'gh', 'AKIA', 'ya29.', 'a.', 'token:[', 'pass=>'],
    ],
    around: [
      ['', ''],
      ['token="', ''],
      ['-----BEGIN PRIVATE KEY-----', ''],
      ['https://a:', '@'],
    ],
  },
  redact: { run: (text) => redact({ [text]: { [text]: text }, list: [text, [text]], error: new Error(text) }) },
  isSecretName: { run: (text) => [isSecretName(text), isSecretScalarName(text)], atoms: ['_key', 'apiKey', 'token'] },
  maskArguments: { run: (text) => maskArguments(['--token', text, text, `--${text}`, `${text}=${text}`]) },
  maskValues: { run: (text) => maskValues(text, ['aaaaaab', '------', '=a=a=a']) },
  challenges: {
    run: (text) => parseChallenges(text),
    atoms: ['a="', 'a=b,', 'Bearer ', 'a=', '\\"', 'Bearer a=,'],
    around: [
      ['', ''],
      ['Bearer a="', ''],
      ['Bearer ', ''],
      ['Bearer a', ','],
    ],
  },
  writeChallenge: { run: (text) => writeChallenge('Bearer', { error_description: text }) },
  accept: { run: (text) => [accepts(text, 'text/event-stream'), isJson(text), isJson(`application/json;${text}`)] },
  mediaType: {
    run: mediaTypeEssence,
    atoms: ['\\"', '";'],
    around: [
      ['', ''],
      ['a/b;', ''],
      ['a/b;c="', ''],
    ],
  },
  headerValue: {
    run: (text) => [readHeaderValue(text), writeHeaderValue(text), isHeaderText(text)],
    around: [
      ['', ''],
      ['=?base64?', '?='],
    ],
  },
  hostAndOrigin: {
    run: (text) => [
      refusal(request('host', text), {}),
      refusal(request('origin', text), {}),
      validateHostHeader(text, ['localhost']),
      validateOriginHeader(text, ['localhost']),
    ],
    around: [
      ['', ''],
      ['[', ''],
      ['http://', ''],
    ],
  },
  cors: {
    run: (text) => preflightHeaders(request('access-control-request-headers', text), {}),
    atoms: ['mcp-param-a,'],
  },
  eventId: { run: splitEventId },
  events: {
    run: (text) => {
      const feed = eventFeed({ onevent: () => {}, onretry: () => {}, maxBytes: 1e9 });
      feed(bytes(text));
    },
    atoms: ['\r', '\n', '\r\n', 'data: a\n', 'data: a\r', 'data:\n', 'id: \n', 'a\n\n', ':\n'],
    around: [
      ['', ''],
      ['data: ', '\n\n'],
      ['', '\ra'],
      ['', '\na'],
    ],
  },
  eventsInPieces: {
    run: (text) => inPieces(text, eventFeed({ onevent: () => {}, onretry: () => {}, maxBytes: 1e9 })),
    atoms: ['data: a\n', 'data: a\r'],
  },
  writeEvent: { run: (text) => writeSseEvent({ data: text }) },
  failure: {
    run: (text) => {
      const headers = new Headers();
      return saysSessionLost(describeFailure({ status: 404, headers }, text));
    },
    around: [
      ['', ''],
      ['{"error":{"message":"', '"}}'],
    ],
  },
  lines: { run: (text) => new LineSplitter({ line: () => {}, badLine: () => {} }).push(bytes(text)), atoms: ['{}\n'] },
  linesInPieces: {
    run: (text) => {
      const splitter = new LineSplitter({ line: () => {}, badLine: () => {} }, 100_000);
      inPieces(text, (piece) => splitter.push(piece));
      splitter.end();
    },
    atoms: ['{}\n'],
  },
  linesTooLong: {
    run: (text) => {
      const splitter = new LineSplitter({ line: () => {}, badLine: () => {} }, 10);
      inPieces(text, (piece) => splitter.push(piece));
      splitter.end();
    },
  },
  outline: {
    run: (text) => outlineOf(text, text),
    atoms: ['"a":', '{"a":', '\\', '\\"', '"\\\\'],
    around: [
      ['', ''],
      ['{"a":', '}'],
      ['{"a":"', '"}'],
      ['{', ':1}'],
    ],
  },
  readBuffer: {
    run: (text) => {
      const buffer = new ReadBuffer();
      inPieces(text, (piece) => {
        buffer.append(piece);
        buffer.readMessage();
      });
    },
  },
  stderrTail: {
    run: (text) => {
      const tail = new StderrTail();
      inPieces(text, (piece) => tail.append(piece));
      return tail.text();
    },
  },
  oneLine: { run: oneLine, atoms: ['\u2028'] },
  templateMatch: {
    run: (text) => template.match(text),
    atoms: ['d=1&', '&d=', 'd=,', 'a/', '%41', '%'],
    around: [
      ['', ''],
      ['note:///', ''],
      ['note:///a/b?', ''],
      ['note:///a/b?d=1', '#e'],
    ],
  },
  templateParse: {
    run: (text) => [UriTemplate.isTemplate(text), new UriTemplate(text)],
    atoms: ['{ ', '{a}', '}{', '%41', 'ü'],
    around: [
      ['', ''],
      ['{', '}'],
      ['{a', '}'],
    ],
  },
  templateExpand: {
    run: (text) => template.expand({ a: text, b: text, c: text, d: [...text], e: text }),
    atoms: ['%41', 'ü'],
  },
  unsafeVariable: {
    run: (text) => unsafeVariable(text, true),
    atoms: ['%25', '%252e', '. '],
    around: [
      ['', ''],
      ['..', ''],
    ],
  },
  uris: {
    run: (text) => [isAbsoluteUri(text), rootFault({ uri: text }), skillRoot(text), isOrigin(text)],
    atoms: ['%2e', '/..', '..', '%2f', 'a.'],
    around: [
      ['', ''],
      ['file:///', ''],
      ['https://', ''],
    ],
  },
  skillReference: { run: (text) => resolveReference(skill, text), atoms: ['../', '%2e/', 'a/'] },
  skillEntry: {
    run: (text) =>
      skillFault({ uri: `skill://a/${text}`, frontmatter: { name: text, description: text }, resources: [] }),
    atoms: ['a-', '/./', '/..'],
  },
  mimeTypeOf: { run: mimeTypeOf, atoms: ['.a', 'a.'] },
  manifest: {
    run: (text) => readManifest(text),
    atoms: ['---\n', '--- \n', 'a: 1\n', '- a\n', 'a: [', '  - b\n', "'", '# a\n', 'a: |\n  b\n', '? a\n'],
    around: [
      ['', ''],
      ['---\n', '\n---\n'],
      ['---\na: ', '\n---\n'],
      ['---\na: "', '"\n---\n'],
      ['---\na: [', ']\n---\n'],
    ],
  },
  manifestWithKeys: {
    run: (text) => readManifest(`---\n${[...text].map((_, at) => `k${at}: 1`).join('\n')}\n---\n`),
    only: ['a'],
  },
  differences: { run: (text) => differences({ a: [...text], [text]: text }, { a: [...text], [text]: 1 }) },
  htmlDocument: {
    run: (text) => documentFault({ mimeType: 'text/html;profile=mcp-app', text }),
    atoms: ['<!--', '-->', '<!---->', '<!-- -', '<!doctype ', '\t '],
    around: [
      ['', ''],
      ['<!doctype ', ''],
      ['<!--', ''],
    ],
  },
  uiResource: {
    run: (text) => uiResourceFault({ csp: { connectDomains: [text] }, domain: text }),
    around: [
      ['', ''],
      ['https://', ''],
    ],
  },
  content: {
    run: (text) => [
      isBase64(text),
      isMimeType(text),
      annotationsFault({ lastModified: text }),
      resourceContentsFault({ uri: text, text }),
    ],
    atoms: ['a/', ';a', ' ;'],
    around: [
      ['', ''],
      ['a/b', ''],
      ['2026-01-01T00:00:00.', ''],
    ],
  },
  names: {
    run: (text) => [
      isValidMetaKey(text),
      isValidExtensionId(text),
      isRecommendedToolName(text),
      validateToolName(text),
    ],
    atoms: ['a.', 'a-', 'a/'],
    around: [
      ['', ''],
      ['a.b/', ''],
    ],
  },
  form: {
    run: (text) => formSchema({ type: 'object', properties: { [text]: { type: 'string', title: text } } }),
    atoms: ['aB', '_a', 'api key ', 'pin '],
  },
  mirrored: {
    run: (text) => [
      readMirroredParams({ properties: { a: { type: 'string', 'x-mcp-header': text } } }),
      mirrors({ header: 'a', path: ['a'], type: 'integer' }, { a: 1 }, text),
    ],
    around: [
      ['', ''],
      ['1', ''],
      ['1.', ''],
      ['1e', ''],
    ],
  },
  mirroredMany: {
    run: (text) =>
      readMirroredParams({
        properties: Object.fromEntries(
          [...text].map((_, at) => [`p${at}`, { type: 'string', 'x-mcp-header': `h${at}` }]),
        ),
      }),
    only: ['a'],
  },
  scopes: {
    run: (text) => [
      readScopes(text),
      scopeCovers(text, text),
      scopeUnion(text, text),
      coversScopes(text.split(' '), text.split(' ')),
    ],
    atoms: ['a ', ' \t'],
  },
  addresses: {
    run: (text) => [classifyAddress(text), isLoopbackName(text)],
    atoms: ['1.', 'a:', '::', '%'],
    around: [
      ['', ''],
      ['1.1.1.1%', '\n'],
      ['[', ']'],
      ['fe80::1%', ''],
    ],
  },
  oauthAddresses: {
    run: (text) => [
      documentAddressFault(text),
      describeUrl(text),
      resourceCovers(text, text),
      validateClientMetadataUrl(text),
    ],
    atoms: ['/.', '%2e', '/..', 'a.'],
    around: [
      ['', ''],
      ['https://a/', ''],
      ['https://', '/'],
    ],
  },
  callback: {
    run: readPastedCallback,
    around: [
      ['', ''],
      ['?', ''],
      ['https://a/?', ''],
    ],
  },
  singleParams: {
    run: (text) => requireSingle(new URLSearchParams(text)),
    atoms: ['a&', '&a=1'],
    around: [
      ['', ''],
      ['b=1&', ''],
    ],
  },
  manyParams: {
    run: (text) => requireSingle(new URLSearchParams([...text].map((_, at) => [`p${at}`, '1']))),
    only: ['a'],
  },
  clientMetadata: {
    run: (text) => readClientMetadata({ client_name: text, redirect_uris: [`https://a/${text}`], scope: text }),
  },
  pages: { run: (text) => [escapeHtml(text), printable(text)], atoms: ['&', '"'] },
  icons: {
    run: (text) => [isSafeIconSource(text), imageFacts(bytes(text))],
    around: [
      ['', ''],
      ['data:image/png;base64,', ''],
      ['data:', ';base64,'],
      ['GIF89a', ''],
      ['\u0089PNG', ''],
      ['RIFF    WEBP', ''],
    ],
  },
  formats: {
    run: (text) => FORMATS.map((format) => isFormat(format, text)),
    atoms: ['1D', 'P1', '~0', '/~1', '%41', 'a.', '1.', ':0', '(', '[a-', '\\p{L}', '(?:', 'a|', '\\"'],
    around: [
      ['', ''],
      ['P', ''],
      ['2026-01-01T00:00:00.', 'Z'],
      ['"', '"@a'],
      ['a@', ''],
      ['a://[', ''],
      ['/', ''],
    ],
  },
  pattern: {
    run: parsePattern,
    atoms: ['a|', '[a]', '\\p{L}', 'a{2}', '\\u{61}', '(a)', '[a-z'],
    around: [
      ['', ''],
      ['[', ']'],
      ['(?<', '>)'],
    ],
  },
  pointer: { run: (text) => rewritePointer(`#/${text}`, { a: { a: {} } }), atoms: ['a/', '~1', '%41'] },
  path: { run: (text) => formatPath([...text, text]), atoms: ['a.'] },
};
