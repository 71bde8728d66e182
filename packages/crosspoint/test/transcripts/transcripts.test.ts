import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindOf, type JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { findRevision } from '../../src/revisions/index.ts';
import { compileSchema, describeIssues } from '../../src/schema/index.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from '../revisions/published-schema.ts';
import { idsAbout } from '../suites/subject.ts';
import { definitionName, officialIssues, type Kind } from './official-schemas.ts';
import { readTranscripts, replay, writeTranscript, type Transcript } from './transcript.ts';

const transcripts = readTranscripts();
const revisionsSeen = [...new Set(transcripts.map(({ revision }) => revision))];

describe.each(revisionsSeen)('transcripts of %s', (revision) => {
  for (const transcript of transcripts.filter((one) => one.revision === revision))
    proves(transcript.proves).it(transcript.purpose, async () => {
      const lines = await replay(transcript);
      if (process.env['UPDATE']) writeFileSync(transcript.path, writeTranscript(transcript, lines));
      else expect(lines.map(comparable)).toEqual(transcript.lines.map(comparable));
    });
});

function comparable({ mark, text }: { mark: string; text: string }): unknown {
  return mark === '→!' || mark === '×' ? text : [mark, JSON.parse(text)];
}

/** One message of a transcript, with the method it belongs to. */
interface Spoken {
  readonly mark: '→' | '←';
  readonly message: Record<string, any>;
  readonly kind: ReturnType<typeof kindOf>;
  readonly method: string | undefined;
}

/** The well-formed messages, the members of batches one by one. */
function spoken({ lines }: Transcript): Spoken[] {
  const asked = new Map<string, string>();
  return lines.flatMap(({ mark, text }) => {
    if (mark === '→!' || mark === '×') return [];
    const value = JSON.parse(text) as Record<string, any> | Record<string, any>[];
    return (Array.isArray(value) ? value : [value]).map((message): Spoken => {
      const kind = kindOf(message as JSONRPCMessage);
      if (kind === 'request') asked.set(`${mark}${JSON.stringify(message['id'])}`, message['method'] as string);
      const method =
        kind === 'request' || kind === 'notification'
          ? (message['method'] as string)
          : asked.get(`${mark === '→' ? '←' : '→'}${JSON.stringify(message['id'])}`);
      return { mark, message, kind, method };
    });
  });
}

/** The definition a message must fit: by its method, unless the answer is a question. */
function definitionOf({ method, message }: Spoken, kind: Kind, revision: string): string | undefined {
  const { result } = message;
  if (result?.resultType === 'input_required') return 'InputRequiredResult';
  // An answer of an extension, which has a schema of its own.
  if (result?.resultType === 'task') return undefined;
  if (method === 'tools/call' && result?.task !== undefined) return 'CreateTaskResult';
  const hasTasks = findRevision(revision)?.methods.has('tasks/get') === true;
  return method === undefined ? undefined : definitionName(kind, method, hasTasks);
}

/** What of a message a definition describes. */
function described({ kind, message }: Spoken): { kind: Kind; value: unknown } | undefined {
  if (kind === 'result') return { kind, value: message['result'] };
  return kind === 'request' || kind === 'notification' ? { kind, value: message } : undefined;
}

const FORMS =
  'L-SCHEMA-001, L-SCHEMA-002, L-SCHEMA-003, L-SCHEMA-025, L-SCHEMA-028, L-MESSAGES-001, L-MESSAGES-010, M-BASE-002, M-BASE-007';

// A conversation of both families fits neither's schemas as a whole.
const single = revisionsSeen.filter((revision) => findRevision(revision) !== undefined);

for (const revision of single)
  proves(idsAbout(revision, FORMS)).describe(`every message of ${revision}`, () => {
    const family = findRevision(revision)!.family;
    const own = transcripts.filter((one) => one.revision === revision).map((one) => [one.topic, one] as const);

    it.each(own)('fits the schemas of the official packages: %s', (_topic, transcript) => {
      for (const one of spoken(transcript)) {
        const about = `${one.mark} ${JSON.stringify(one.message)}`;
        // Only an error for a request whose id could not be read has no id; plain JSON-RPC spells that null, and their schema does not.
        const message =
          one.kind === 'error' && one.message['id'] === null
            ? { jsonrpc: '2.0', error: one.message['error'] }
            : one.message;
        expect(officialIssues(family, 'JSONRPCMessage', message), about).toEqual([]);
        const part = described(one);
        if (part === undefined) continue;
        const name = definitionOf(one, part.kind, revision);
        // They export no schema for a question inside an answer.
        if (name !== undefined && name !== 'InputRequiredResult')
          expect(officialIssues(family, name, part.value), `${name}: ${about}`).toEqual([]);
      }
    });

    const definitions = publishedDefinitions(revision);
    it.skipIf(definitions === undefined).each(own)(
      `fits the schema published for the revision${definitions === undefined ? ` (${noSchemas})` : ''}: %s`,
      (_topic, transcript) => {
        const defs = definitions ?? {};
        for (const one of spoken(transcript)) {
          const about = `${one.mark} ${JSON.stringify(one.message)}`;
          const envelope = envelopeName(defs, one);
          if (envelope !== undefined)
            expect(schemaIssues(revision, defs, envelope, one.message), `${envelope}: ${about}`).toBe('');
          const part = described(one);
          const name = part === undefined ? undefined : definitionOf(one, part.kind, revision);
          if (part === undefined || name === undefined) continue;
          const definition = name in defs ? name : part.kind === 'result' ? 'Result' : undefined;
          expect(definition, `${name} is not in the schema: ${about}`).toBeDefined();
          expect(schemaIssues(revision, defs, definition!, part.value), `${definition}: ${about}`).toBe('');
          // Nothing that the revision has no word for, either.
          if (part.kind === 'result' && definition !== 'Result')
            expect(faults(defs, defs[definition!]!, part.value), about).toEqual([]);
        }
      },
    );
  });

/** An error without a readable id has a null id in plain JSON-RPC, which the older schemas do not describe. */
function envelopeName(defs: Record<string, unknown>, { kind, message }: Spoken): string | undefined {
  if (kind === 'request') return 'JSONRPCRequest';
  if (kind === 'notification') return 'JSONRPCNotification';
  if (kind === 'result') return 'JSONRPCResultResponse' in defs ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
  if (kind === 'error' && message['id'] !== null)
    return 'JSONRPCErrorResponse' in defs ? 'JSONRPCErrorResponse' : 'JSONRPCError';
  return undefined;
}

const compiled = new Map<string, ReturnType<typeof compileSchema>>();

function schemaIssues(revision: string, defs: Record<string, any>, name: string, value: unknown): string {
  const key = `${revision} ${name}`;
  let schema = compiled.get(key);
  if (schema === undefined) {
    const usesDefs = JSON.stringify(defs).includes('"#/$defs/');
    const document = usesDefs
      ? { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: defs, $ref: `#/$defs/${name}` }
      : {
          $schema: 'http://json-schema.org/draft-07/schema#',
          definitions: defs,
          allOf: [{ $ref: `#/definitions/${name}` }],
        };
    compiled.set(key, (schema = compileSchema(document)));
  }
  const checked = schema.validate(value);
  return checked.ok ? '' : describeIssues(checked.issues);
}
