import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { show } from '../match-value.ts';
import type { Answer, Probe } from './probe.ts';
import { Broken, ensure, type Rule } from './rule.ts';

/**
 * Opens a connection: with a handshake or a discovery, as the revision has it. `undefined`: the server does not speak the revision and correctly
 * says so. Throws `Broken` for any other answer.
 */
export async function open(probe: Probe): Promise<JsonObject | undefined> {
  return probe.revision.family === 'handshake' ? handshake(probe) : discovery(probe);
}

async function handshake(probe: Probe): Promise<JsonObject | undefined> {
  const { id } = probe.revision;
  const answer = await initialize(probe, id);
  if (answer.kind === 'error') return undefined;
  const { result } = answer;
  if (result['protocolVersion'] !== id) return undefined;
  ensure(isJsonObject(result['capabilities']), `initialize gave no capabilities: ${show(result)}`);
  ensure(
    isImplementation(result['serverInfo']),
    `initialize gave no serverInfo with a name and a version: ${show(result)}`,
  );
  ensureInstructions(result);
  probe.notify('notifications/initialized');
  return result;
}

export function initialize(probe: Probe, version: string): Promise<Answer> {
  const clientInfo = { name: 'conformance-probe', version: '1.0.0' };
  return probe.requestAs('initialize', { protocolVersion: version, capabilities: {}, clientInfo });
}

async function discovery(probe: Probe): Promise<JsonObject | undefined> {
  const answer = await probe.request('server/discover');
  if (answer.kind === 'error') return undefined;
  const { result } = answer;
  const { supportedVersions } = result;
  ensure(
    Array.isArray(supportedVersions) && supportedVersions.every((version) => typeof version === 'string'),
    `server/discover gave no list of supportedVersions: ${show(result)}`,
  );
  if (!supportedVersions.includes(probe.revision.id)) return undefined;
  ensure(isJsonObject(result['capabilities']), `server/discover gave no capabilities: ${show(result)}`);
  ensureInstructions(result);
  return result;
}

function ensureInstructions({ instructions }: JsonObject): void {
  ensure(
    instructions === undefined || typeof instructions === 'string',
    `instructions are no text: ${show(instructions)}`,
  );
}

function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** Not in the list of rules that are run: opening the connection checks it. */
export const OPENING: Rule = {
  id: 'opening',
  level: 'must',
  text: 'A connection opens with the version, the capabilities and who the server is.',
  check: ({ probe }) =>
    Object.keys(probe.opened).length > 0 ? Promise.resolve() : Promise.reject(new Broken('it never opened')),
};
