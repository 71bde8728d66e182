import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as library from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { StdioServerTransport } from '../../src/transports/stdio/server.ts';
import { createSuiteServer, type ScenarioName } from '../fixtures/suite/suite-server.mjs';

/**
 * A conversation on the wire, as a text file: a line that says what it shows, optionally `proves: <ids>` and `server: <scenario>`, then one
 * message a line.
 * `→` is what the client sends, `←` what the server answers; `→!` marks input that is wrong on purpose, `×` the moment the server closes.
 */
export interface Transcript {
  readonly revision: string;
  readonly topic: string;
  readonly path: string;
  readonly purpose: string;
  /** The ids of the requirements that it proves. */
  readonly proves: string;
  readonly scenario: ScenarioName;
  readonly lines: readonly TranscriptLine[];
}

export interface TranscriptLine {
  readonly mark: '→' | '→!' | '←' | '×';
  readonly text: string;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

export function readTranscripts(): Transcript[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: revision }) =>
      readdirSync(`${folder}/${revision}`)
        .filter((file) => file.endsWith('.txt'))
        .map((file) => parseTranscript(revision, file)),
    );
}

function parseTranscript(revision: string, file: string): Transcript {
  const path = `${folder}/${revision}/${file}`;
  const [purpose = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const said = (label: string): string | undefined => rest.find((line) => line.startsWith(label))?.slice(label.length);
  const scenario = (said('server: ') ?? 'everything') as ScenarioName;
  const lines = rest.flatMap((line): TranscriptLine[] => {
    const match = /^(→!|→|←|×) (.*)$/.exec(line);
    return match === null ? [] : [{ mark: match[1] as TranscriptLine['mark'], text: match[2] ?? '' }];
  });
  return { revision, topic: file.replace('.txt', ''), path, purpose, proves: said('proves: ') ?? '', scenario, lines };
}

export function writeTranscript({ purpose, proves, scenario }: Transcript, lines: readonly TranscriptLine[]): string {
  const head = [purpose];
  if (proves !== '') head.push(`proves: ${proves}`);
  if (scenario !== 'everything') head.push(`server: ${scenario}`);
  return `${[...head, '', ...lines.map(({ mark, text }) => `${mark} ${text}`)].join('\n')}\n`;
}

/** Sends what the client says, line by line, to a new server, and writes down what comes back. */
export async function replay(transcript: Transcript): Promise<TranscriptLine[]> {
  const server = createSuiteServer({ ...library, tasks }, transcript.scenario);
  const input = new PassThrough();
  const output = new PassThrough();
  let received = '';
  output.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  await server.connect(new StdioServerTransport(input, output));
  const lines: TranscriptLine[] = [];
  let state = '';
  let task = '';
  for (const line of transcript.lines) {
    if (line.mark === '←') continue;
    lines.push(line);
    if (line.mark === '×') await server.close();
    else input.write(`${line.text.replace(STATE_MARK, state).replaceAll(TASK_MARK, task)}\n`);
    await settle();
    if (received.includes('notifications/progress')) await pauseAfterProgress();
    state = STATE.exec(received)?.[1] ?? state;
    task = TASK.exec(received)?.[1] ?? task;
    for (const text of received.split('\n').filter((part) => part !== ''))
      lines.push({ mark: '←', text: normalise(text) });
    received = '';
  }
  await server.close();
  return lines;
}

/** Enough turns of the event loop for everything that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The answer to a call leaves a millisecond after its last progress. */
async function pauseAfterProgress(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  await settle();
}

/** A sealed state is another one each time: it is written as a mark, which the client's next line may send back. */
const STATE = /"requestState":"([^"]*)"/;
const STATE_MARK = '<state>';

/** A task has another id each time, and begins at another time. */
const TASK = /"taskId":"([^"]*)"/;
const TASK_MARK = '<task>';
const TIME = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** How an engine words what is wrong with JSON. */
const PARSE_REASON = /("message":"Parse error: )(?:[^"\\]|\\.)*"/;

function normalise(text: string): string {
  return text
    .replace(STATE, `"requestState":"${STATE_MARK}"`)
    .replaceAll(/"taskId":"[^"]*"/g, `"taskId":"${TASK_MARK}"`)
    .replaceAll(TIME, '"2026-01-01T00:00:00.000Z"')
    .replaceAll(UUID, '00000000-0000-4000-8000-000000000000')
    .replace(PARSE_REASON, '$1…"');
}
