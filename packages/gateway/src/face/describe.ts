import type { Caller } from 'crosspoint/server';
import type { UpstreamSession } from '../upstream/upstream-session.ts';
import { TASKS_EXTENSION, downstreamCapabilities } from '../words/capabilities.ts';

type Capabilities = NonNullable<ReturnType<UpstreamSession['client']['getServerCapabilities']>>;

/** The server behind the bridge, as a client of the bridge is told of it. */
export function describeServer(
  { client }: UpstreamSession,
  { family }: Pick<Caller, 'family'>,
): { info?: { name: string; version: string }; capabilities: Capabilities; instructions?: string } {
  const info = client.getServerVersion();
  const instructions = client.getInstructions();
  const capabilities = downstreamCapabilities(client.getServerCapabilities() ?? {});
  return {
    capabilities: family === 'handshake' ? withoutTasksExtension(capabilities) : capabilities,
    ...(info && { info }),
    ...(instructions !== undefined && { instructions }),
  };
}

/** Clients with a handshake have tasks of their own generation. */
function withoutTasksExtension(capabilities: Capabilities): Capabilities {
  const { extensions, ...others } = capabilities;
  const { [TASKS_EXTENSION]: _tasks, ...rest } = extensions ?? {};
  return Object.keys(rest).length === 0 ? others : { ...others, extensions: rest };
}
