import { visibleLine } from '@crosspoint/host';
import { bad, good, warning, type Finding } from './finding.ts';
import type { AddressPatient } from './patient.ts';
import { errorMessage } from '../errors/as-error.ts';

const ANSWER_MS = 15_000;
/** Paths where servers of this protocol often are. */
const USUAL_PATHS = ['/mcp', '/sse', '/'];
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' });

/** The answer of the web server to a first request. */
export interface WebAnswer {
  readonly finding: Finding;
  /** Whether it wants a login. */
  readonly wantsLogin: boolean;
}

/** Sends one harmless request and looks at status and type of the answer. */
export async function examineHttp(patient: AddressPatient): Promise<WebAnswer> {
  const { reach, signal } = patient;
  const answer = await probe(reach.url, reach.headers ?? {}, signal);
  if ('error' in answer) {
    const says = `The server took the connection and gave no answer: ${visibleLine(answer.error)}`;
    return { finding: bad('http', says, 'Look at the log of the server.'), wantsLogin: false };
  }
  return { finding: await judged(patient, answer), wantsLogin: answer.status === 401 };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly location: string | null;
}

async function judged({ reach, signal }: AddressPatient, { status, type, location }: Answer): Promise<Finding> {
  const answered = `The server answers a POST with ${status}${type === '' ? '' : ` (${visibleLine(type)})`}`;
  if (status === 401) return good('http', `${answered}: it wants a login.`);
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, reach.url))
    return bad(
      'http',
      `${answered}, which points to another address.`,
      `Use ${visibleLine(new URL(location, reach.url).href)}, if you trust it.`,
    );
  if (type.startsWith('text/html'))
    return bad(
      'http',
      `${answered}: that is a web page, and no server of the Model Context Protocol.`,
      `Look at the path of the address: it often ends in /mcp.${await otherPaths(reach.url, signal)}`,
    );
  if (status === 404 || status === 410)
    return bad(
      'http',
      `${answered}: there is nothing at this path.`,
      `Look at the path of the address: it often ends in /mcp.${await otherPaths(reach.url, signal)}`,
    );
  if (status === 403)
    return bad(
      'http',
      `${answered}: it refuses this request.`,
      'The server may want another Host or Origin, or a header (--header NAME=@FILE).',
    );
  if (status === 405)
    return warning(
      'http',
      `${answered}: the address may be one of the older transport with two endpoints.`,
      'Nothing to do where the next steps are good.',
    );
  if (status >= 500)
    return bad(
      'http',
      `${answered}: the server itself, or what stands before it, has failed.`,
      'Look at the log of the server, and try again later.',
    );
  return good('http', `${answered}.`);
}

/** Other paths of the same server that answer like a server of the protocol. They are named, and not used. */
async function otherPaths(address: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(address);
  const found: string[] = [];
  for (const path of USUAL_PATHS.filter((one) => one !== pathname)) {
    const answer = await probe(`${origin}${path}`, {}, signal);
    const isOne =
      !('error' in answer) &&
      ![404, 405, 410].includes(answer.status) &&
      answer.status < 500 &&
      !answer.type.startsWith('text/html');
    if (isOne) found.push(`${origin}${path}`);
  }
  return found.length === 0 ? '' : ` There is something at ${found.join(' and ')}.`;
}

async function probe(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer | { readonly error: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: PROBE,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    await response.body?.cancel().catch(() => {});
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      location: response.headers.get('location'),
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { error: errorMessage(cause) };
  }
}
