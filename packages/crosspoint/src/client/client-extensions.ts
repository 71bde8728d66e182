import type { JsonObject } from '../jsonrpc/message.ts';
import type { OutcomeReader } from './calls/call.ts';
import { declares, type Extension } from '../extensions/extension.ts';
import { ExtensionSet, resultTypes } from '../extensions/extension-set.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { clientWordsOf } from '../revisions/client-words.ts';
import type { Family, Revision } from '../revisions/revision.ts';
import type { ServerFacts } from './connecting/server-facts.ts';

/**
 * The client's half of an extension: its declaration and settings. Send its methods with `request`; handle its notifications like any
 * other.
 */
export interface ClientExtension {
  readonly extension: Extension;
  /** Settings declared in the capabilities under the extension's id; `{}` when absent. */
  readonly settings?: JsonObject;
}

/** The extensions of one client: the methods they allow it to send and the result types they add. */
export class ClientExtensions extends ExtensionSet<ClientExtension> {
  /** Capabilities with the extensions added. Settings that the program declared under the same id are kept. */
  declaredIn(capabilities: ClientCapabilities): ClientCapabilities {
    const own = Array.from(this.all, ({ extension, settings = {} }) => [extension.id, settings] as const);
    if (own.length === 0) return capabilities;
    return { ...capabilities, extensions: { ...Object.fromEntries(own), ...capabilities.extensions } };
  }

  /** Whether the method belongs to an extension. Throws when the server has not declared that extension. */
  admits(method: string, family: Family, server: ServerFacts | undefined): boolean {
    const found = this.forMethod(method, family);
    if (found === undefined) return false;
    const { id } = found.extension;
    if (server !== undefined && !declares(server.capabilities, id))
      throw new ProtocolError(
        'method-not-found',
        `The server does not offer ${method}: it has not declared the extension ${id}.`,
      );
    return true;
  }

  /** Reads results with the types of the declared extensions. */
  reader(revision: Revision, capabilities: ClientCapabilities): OutcomeReader {
    const words = clientWordsOf(revision);
    const typesOf = (method: string): ReadonlySet<string> => resultTypes(this, method, capabilities);
    return { readResult: (method, result) => words.readResult(method, result, typesOf) };
  }
}
