import { classifyAddress } from '../../src/auth/outbound/address-class.ts';
import { isLoopbackName } from '../../src/auth/outbound/policy.ts';
import { readPastedCallback } from '../../src/auth/client/login/read-callback.ts';
import { validateClientMetadataUrl } from '../../src/auth/client/register-client.ts';
import { resourceCovers, scopeCovers, scopeUnion } from '../../src/auth/resource-identifier.ts';
import { documentAddressFault } from '../../../authorization-server/src/clients/client-id-document.ts';
import { readClientMetadata } from '../../../authorization-server/src/clients/client-metadata.ts';
import { printable } from '../../src/auth/server/http/oauth-fault.ts';
import { escapeHtml } from '../../../authorization-server/src/login/pages.ts';
import { requireSingle } from '../../../authorization-server/src/http/request-params.ts';
import { coversScopes, readScopes } from '../../src/auth/server/resource/scopes.ts';
import { imageFacts } from '../../src/client/icons/icon-image.ts';
import { isSafeIconSource } from '../../src/client/icons/icons.ts';
import { resolveReference } from '../../../skills/src/client/skill-reference.ts';
import { describeUrl } from '../../src/client/answering/url-consent.ts';
import { validateToolName } from '../../../sdk/src/shared/toolNameValidation.ts';
import { documentFault, uiResourceFault } from '../../../apps/src/extension/ui-resource.ts';
import { differences, readManifest } from '../../../skills/src/extension/front-matter.ts';
import { skillFault } from '../../../skills/src/extension/skill-entry.ts';
import { annotationsFault, isBase64, isMimeType, resourceContentsFault } from '../../src/protocol/content.ts';
import { formSchema } from '../../src/protocol/elicitation/elicitation-form.ts';
import { isValidExtensionId, isValidMetaKey } from '../../src/protocol/meta.ts';
import { mirrors, readMirroredParams } from '../../src/protocol/mirrored-params.ts';
import { isRecommendedToolName } from '../../src/protocol/tools.ts';
import { isFormat } from '../../../json-schema/src/formats/formats.ts';
import { parsePattern } from '../../../json-schema/src/pattern/parse-pattern.ts';
import { rewritePointer } from '../../../json-schema/src/documents/rewrite-pointer.ts';
import { formatPath } from '../../../json-schema/src/validation-issue.ts';
import { mimeTypeOf } from '../../../skills/src/server/skill-paths.ts';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { extracted, w3c } from '../../src/middleware/telemetry/trace-context.ts';
import { ToolSchemas } from '../../../openapi/src/tool-schema.ts';
import { partyOf } from '../../src/runtime/ip-address.ts';
import { bytes, type Target } from './target.ts';

const skill = { uri: 'skill://a/SKILL.md', resources: 'dynamic' } as never;
const FORMATS =
  'date-time date time duration email hostname ipv4 ipv6 uri uri-reference uuid json-pointer relative-json-pointer regex';

/** Skills, apps, contents, names, logins and schemas. */
export const CONTENT_TARGETS: Readonly<Record<string, Target>> = {
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
    run: (text) =>
      readManifest(
        `---\n${Array.from(text)
          .map((_, at) => `k${at}: 1`)
          .join('\n')}\n---\n`,
      ),
    only: ['a'],
  },
  differences: {
    run: (text) => differences({ a: Array.from(text), [text]: text }, { a: Array.from(text), [text]: 1 }),
  },
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
          Array.from(text).map((_, at) => [`p${at}`, { type: 'string', 'x-mcp-header': `h${at}` }]),
        ),
      }),
    only: ['a'],
  },
  mirroredDeep: {
    run: (text) => {
      let schema: object = { type: 'string', 'x-mcp-header': 'a' };
      for (const _ of Array.from(text))
        schema = { properties: { b: { type: 'string', 'x-mcp-header': 'c' }, a: schema } };
      return readMirroredParams(schema);
    },
    only: ['a'],
  },
  traceContext: {
    run: (text) => extracted({ _meta: { traceparent: text, tracestate: text, baggage: text } }, ROOT_CONTEXT, w3c),
    atoms: ['a=b,', 'a=', ';a', 'a=1;'],
    around: [
      ['', ''],
      ['00-0123456789abcdef0123456789abcdef-0123456789abcdef-01-', ''],
    ],
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
    run: (text) => [classifyAddress(text), isLoopbackName(text), partyOf(text)],
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
    run: (text) => requireSingle(new URLSearchParams(Array.from(text).map((_, at) => [`p${at}`, '1']))),
    only: ['a'],
  },
  clientMetadata: {
    run: (text) => {
      const redirect_uris = ['https://a/'];
      for (const more of [{ client_name: text }, { redirect_uris: [`https://a/${text}`] }, { scope: text }])
        void readClientMetadata({ redirect_uris, ...more }).catch(() => undefined);
    },
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
  openApiNames: {
    run: (text) => {
      const names = Array.from(text, (_, at) => `s${at}`);
      const document = { openapi: '3.1.0', components: Object.fromEntries(names.map((name) => [name, { x: {} }])) };
      const schema = { allOf: names.map((name) => ({ $ref: `#/components/${name}/x` })) };
      return new ToolSchemas(document, 1e6, { left: 1e6 }).convert(schema);
    },
    only: ['a'],
  },
  formats: {
    run: (text) => FORMATS.split(' ').map((format) => isFormat(format, text)),
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
  path: { run: (text) => formatPath([...Array.from(text), text]), atoms: ['a.'] },
};
