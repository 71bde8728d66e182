import { parseChallenges, writeChallenge } from '../../src/auth/challenge.ts';
import { rootFault } from '../../src/client/answering/ask-checks.ts';
import { mediaTypeEssence } from '../../../sdk/src/shared/mediaType.ts';
import { ReadBuffer } from '../../../sdk/src/shared/stdio.ts';
import { isOrigin } from '../../../apps/src/extension/ui-resource.ts';
import { skillRoot } from '../../../skills/src/extension/skill-entry.ts';
import { oneLine } from '../../src/jsonrpc/serialise.ts';
import { redact } from '../../src/protocol/redaction/redact.ts';
import { redactText } from '../../src/protocol/redaction/redact-text.ts';
import { isAbsoluteUri } from '../../src/protocol/resources.ts';
import { LineRedaction } from '../../../recording/src/line-redaction.ts';
import { isNestedBeyond } from '../../../recording/src/nesting.ts';
import { isSecretScalarName } from '../../src/protocol/redaction/secret-name.ts';
import { validateHostHeader, validateOriginHeader } from '../../src/server/http/host-validation.ts';
import { eventFeed } from '../../src/transports/http/client/body.ts';
import { describeFailure, saysSessionLost } from '../../src/transports/http/client/describe-failure.ts';
import { preflightHeaders } from '../../src/transports/http/server/guards/cors.ts';
import { refusal } from '../../src/transports/http/server/guards/host-and-origin.ts';
import { addressReader } from '../../src/server/http/client-address.ts';
import { accepts, isJson } from '../../src/transports/http/server/guards/media.ts';
import { splitEventId } from '../../src/transports/http/server/sessions/session-events.ts';
import { isSecretName, maskArguments, maskValues } from '../../src/transports/stdio/secrets.ts';
import { StderrTail } from '../../src/transports/stdio/stderr-tail.ts';
import { isHeaderText, readHeaderValue, writeHeaderValue } from '../../src/wire/header-value.ts';
import { outlineOf } from '../../src/wire/message-outline.ts';
import { LineSplitter } from '../../src/wire/ndjson.ts';
import { unsafeVariable } from '../../src/wire/safe-variables.ts';
import { writeSseEvent } from '../../src/wire/sse.ts';
import { UriTemplate } from '../../src/wire/uri-template.ts';
import { bytes, inPieces, request, type Target } from './target.ts';

const template = new UriTemplate('note:///{a}/{+b}{?c,d*}{#e}');
const SECRETS = [
  '-eyJAAAAAAAAA',
  'eyJaaaaaaaa.',
  '.eyJ',
  'sk-',
  'token=',
  'token="',
  'password: ',
  'bearer ',
  '://a:',
  '@',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  '-----END ',
  '\\"password\\":\\"',
  "cookie: '",
  'api key ',
  'Authorization: Digest a="',
  'gh',
  'ya29.',
  'a.',
  'token:[',
  'pass=>',
];

/** Masks, headers, streams, lines and URIs. */
export const TRANSPORT_TARGETS: Readonly<Record<string, Target>> = {
  redactText: {
    run: redactText,
    atoms: SECRETS,
    around: [
      ['', ''],
      ['token="', ''],
      ['-----BEGIN PRIVATE KEY-----', ''],
      ['https://a:', '@'],
    ],
  },
  redact: { run: (text) => redact({ [text]: { [text]: text }, list: [text, [text]], error: new Error(text) }) },
  recordedLine: {
    run: (text) => new LineRedaction([`${text}x`]).redacted({ text, [text]: [text], message: { params: { text } } }),
    atoms: [...SECRETS, '?code=', '://a', 'basic ', 'basic aaaaaaaa', '&sig=a'],
    around: [
      ['', ''],
      ['https://', ''],
      ['?code=', ''],
    ],
  },
  nesting: { run: (text) => isNestedBeyond(text, 1e9), atoms: ['[', '{"a":', '\\"', '"\\'] },
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
  clientAddress: {
    run: (text) => addressReader({ trustedHeader: 'x-forwarded-for' })(request('x-forwarded-for', text)),
    atoms: ['1.1.1.1, ', '[::1]:1,', '1.', '%'],
    around: [
      ['', ''],
      ['[', ']:1'],
      ['1.1.1.1:', ''],
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
    run: (text) => template.expand({ a: text, b: text, c: text, d: Array.from(text), e: text }),
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
};
