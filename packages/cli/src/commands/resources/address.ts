import type { ReadResourceResult } from 'crosspoint/client';
import { CliError } from '../../errors/cli-error.ts';
import type { OpenServer } from '../../server/open-server.ts';
import { requireCapability } from '../../server/required-capability.ts';
import { readTexts } from '../../values/read-texts.ts';

export interface TypedAddress {
  readonly address: string;
  /** Variables of a template. */
  readonly pairs: readonly string[];
  readonly cwd: string;
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Reads what was typed: an address as it is, or a template of the server with its variables. */
export async function readAddress(server: OpenServer, typed: TypedAddress): Promise<ReadResourceResult> {
  await requireCapability(server, 'resources');
  const listed = (await readable(server.request('resources.list', {})))?.resources.map(({ uri }) => uri) ?? [];
  const uri = listed.includes(typed.address) ? withoutVariables(typed) : await expanded(server, typed, listed);
  try {
    return await server.request('resources.read', { uri });
  } catch (error) {
    if (!(error instanceof CliError) || error.ending !== 'failed' || listed.includes(uri)) throw error;
    const { ending, message, hint = 'crosspoint resources ls SERVER lists its resources.' } = error;
    throw new CliError(ending, message, { hint, mistyped: { word: uri, among: listed }, cause: error });
  }
}

/** The URI of an address that is not listed: that of a template, or the address itself. */
async function expanded(server: OpenServer, typed: TypedAddress, listed: readonly string[]): Promise<string> {
  const { address, pairs, cwd } = typed;
  const found = await readable(server.request('resources.templates', {}));
  const templates = found?.resourceTemplates.map(({ uriTemplate }) => uriTemplate) ?? [];
  if (templates.includes(address)) {
    const { expandTemplate } = await import('../../values/uri-template.ts');
    return expandTemplate(address, readTexts(pairs, cwd));
  }
  if (pairs.length > 0)
    throw new CliError('usage', `The server "${server.name}" lists no template ${JSON.stringify(address)}.`, {
      hint: 'Nothing was sent. crosspoint resources templates SERVER lists its templates.',
      mistyped: { word: address, among: templates },
    });
  if (!ABSOLUTE.test(address))
    throw new CliError('usage', `${JSON.stringify(address)} is no address: it has no scheme, such as file:.`, {
      hint: 'Nothing was sent. crosspoint resources ls SERVER lists the addresses.',
      mistyped: { word: address, among: [...listed, ...templates] },
    });
  return address;
}

/** A list; `undefined` where the server refuses it: an address can be read all the same. */
function readable<T>(list: Promise<T>): Promise<T | undefined> {
  return list.catch((error: unknown) => {
    if (error instanceof CliError && error.ending === 'failed') return undefined;
    throw error;
  });
}

function withoutVariables({ address, pairs }: TypedAddress): string {
  if (pairs.length === 0) return address;
  throw new CliError('usage', `${JSON.stringify(address)} is the address of a resource, and takes no variables.`);
}
