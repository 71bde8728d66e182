import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Client, ClientOptions } from '../../src/client/index.ts';
import type { ScenarioName } from '../fixtures/suite/suite-server.mjs';
import { idsIn, proves } from '../requirements/proves.ts';

/** What a revision may lack. */
export type Feature =
  | 'ping'
  | 'live questions'
  | 'elicitation'
  | 'URL elicitation'
  | 'sampling with tools'
  | 'roots changes'
  | 'log level as a request'
  | 'logs without a level'
  | 'titles'
  | 'icons'
  | 'tool annotations'
  | 'structured content'
  | 'structured content of any type'
  | 'resource links'
  | 'audio'
  | 'last modified'
  | 'argument errors as results'
  | 'completions capability'
  | 'completion context'
  | 'progress messages'
  | 'listen streams';

export interface Connected {
  readonly client: Client;
  /** The conversation as the client saw it. */
  readonly lines: readonly string[];
  readonly close: () => Promise<void>;
}

export interface SubjectOptions extends ClientOptions {
  readonly prepare?: (client: Client) => void;
}

/** One revision over one transport. */
export interface Subject {
  readonly name: string;
  readonly revision: string;
  readonly family: 'handshake' | 'per-request';
  readonly transport: 'memory' | 'stdio' | 'HTTP' | 'HTTP streams' | 'HTTP+SSE';
  /** What it cannot do, and why. Each is asserted to fail, or to be mapped, as the specification has it. */
  readonly cannot: Readonly<Partial<Record<Feature, string>>>;
  connect(scenario: ScenarioName, options?: SubjectOptions): Promise<Connected>;
}

interface LedgerEntry {
  readonly id: string;
  readonly revisions: readonly string[];
}

const ledger: ReadonlyMap<string, readonly string[]> = new Map(
  ['ledger-handshake.json', 'ledger-per-request.json'].flatMap((name) => {
    const entries = JSON.parse(
      readFileSync(new URL(`../requirements/${name}`, import.meta.url), 'utf8'),
    ) as LedgerEntry[];
    return entries.map(({ id, revisions }) => [id, revisions] as const);
  }),
);

/** Those of the ids that are about this revision. */
export function idsAbout(revision: string, ids: string): string {
  const apply = idsIn(ids).filter((id) => {
    const about = ledger.get(id);
    if (about === undefined) throw new Error(`There is no requirement ${id}.`);
    return about.includes(revision);
  });
  return apply.join(', ');
}

/** Registers a case whose ids are filtered by the subject's revision; what is required of stdio is proved over stdio alone. */
export function testCase(subject: Subject, ids: string, title: string, run: () => Promise<void>): void {
  const proved = subject.transport === 'stdio' ? ids : ids.replaceAll(/[LM]-STDIO-\d+,?/g, '');
  proves(idsAbout(subject.revision, proved)).it(title, run);
}

/** A case about something that some revisions lack: there the other branch runs, under the reason the subject gives. */
export function featureCase(
  subject: Subject,
  feature: Feature,
  what: { ids?: string; idsWithout?: string; title: string },
  runs: { has: () => Promise<void>; lacks: () => Promise<void> },
): void {
  const reason = subject.cannot[feature];
  if (reason === undefined) testCase(subject, what.ids ?? '', what.title, runs.has);
  else testCase(subject, what.idsWithout ?? '', `${what.title}: cannot, ${reason}`, runs.lacks);
}

/** What a promise rejects with; fails the test when it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, any> & Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error as Error;
  }
  throw new Error(`Nothing failed; the result was ${JSON.stringify(value)}`);
}

/** The first text of a result. */
export function textOf(result: { content?: readonly { type: string }[] }): string {
  const block = result.content?.find(({ type }) => type === 'text');
  return (block as { text?: string } | undefined)?.text ?? '';
}

export interface Line {
  readonly sent: boolean;
  readonly message: Record<string, any>;
}

export function parseLines(lines: readonly string[]): Line[] {
  return lines.map((line) => ({
    sent: line.startsWith('→'),
    message: JSON.parse(line.slice(2)) as Record<string, any>,
  }));
}
