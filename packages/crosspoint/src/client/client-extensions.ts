import type { JsonObject } from '../jsonrpc/message.ts';
import type { OutcomeReader } from './calls/call.ts';
import { declares, type Extension } from '../extensions/extension.ts';
import { ExtensionSet } from '../extensions/extension-set.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Outcome } from '../protocol/outcome.ts';
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
export class ClientExtensions {
  readonly #set: ExtensionSet;
  readonly #halves: readonly ClientExtension[];
  #reader: ExtendedReader | undefined;

  constructor(halves: readonly ClientExtension[]) {
    this.#halves = halves;
    this.#set = new ExtensionSet(halves.map(({ extension }) => extension));
  }

  /** Capabilities with the extensions added. Settings that the program declared under the same id are kept. */
  declaredIn(capabilities: ClientCapabilities): ClientCapabilities {
    if (this.#halves.length === 0) return capabilities;
    const own = Object.fromEntries(this.#halves.map(({ extension, settings = {} }) => [extension.id, settings]));
    return { ...capabilities, extensions: { ...own, ...capabilities.extensions } };
  }

  /** The `extensions` member that an `initialize` request may carry. */
  inHandshake({ extensions }: ClientCapabilities): JsonObject | undefined {
    return this.#set.inFamily('handshake', extensions);
  }

  namedBy(method: string): string | undefined {
    return this.#set.namedBy(method);
  }

  /** Whether the method belongs to an extension. Throws when the server has not declared that extension. */
  admits(method: string, family: Family, server: ServerFacts | undefined): boolean {
    const found = this.#set.method(method, family);
    if (found === undefined) return false;
    const { id } = found.extension;
    if (server !== undefined && !declares(server.capabilities, id))
      throw new ProtocolError(
        'method-not-found',
        `The server does not offer ${method}: it has not declared the extension ${id}.`,
      );
    return true;
  }

  /** Reads results with the types of the declared extensions. The reader is reused until the revision or the capabilities change. */
  reader(revision: Revision, capabilities: ClientCapabilities): OutcomeReader {
    if (this.#reader?.revision !== revision || this.#reader.capabilities !== capabilities)
      this.#reader = new ExtendedReader(this.#set, revision, capabilities);
    return this.#reader;
  }
}

class ExtendedReader implements OutcomeReader {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly #set: ExtensionSet;
  /** Result types of `#method`, the method read last. */
  #types: ReadonlySet<string> | undefined;
  #method: string | undefined;

  constructor(set: ExtensionSet, revision: Revision, capabilities: ClientCapabilities) {
    this.#set = set;
    this.revision = revision;
    this.capabilities = capabilities;
  }

  readResult(method: string, result: JsonObject): Outcome {
    if (method !== this.#method) {
      this.#types = this.#set.resultTypes(method, this.capabilities);
      this.#method = method;
    }
    return this.revision.readResult(method, result, this.#types);
  }
}
