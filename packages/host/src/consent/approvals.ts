import type { Store } from 'crosspoint/stores';
import type { AuditEvent, AuditWriter } from '../audit/event.ts';
import { digestOf } from '../values/digest.ts';
import { attempt } from '../values/guard.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { Approval, ApprovalSpan, ApprovalState } from './approval.ts';
import type { CallSubject } from './decision.ts';
import { definitionOf, diffDefinitions, type Definition } from './definition.ts';
import { PinnedDefinitions, type PinnedListing, type ServerChanges } from './pins.ts';

export interface ApprovalsOptions {
  /** The place where approvals and first-seen definitions are kept. */
  readonly store: Store;
  /** Names the session that approvals `session` hold for; one of its own when absent. */
  readonly session?: string;
  /** The beginning of every key in the store; `consent:` when absent. */
  readonly prefix?: string;
  /** Told of approvals that are given and revoked. */
  readonly audit?: AuditWriter;
  /** The time now, in milliseconds. */
  readonly now?: () => number;
}

export interface ApproveOptions {
  readonly for: ApprovalSpan;
  /** Whether the approval holds for exactly these arguments; otherwise for any. */
  readonly withArguments?: boolean;
}

/** An approval as the store has it. */
interface Kept extends Omit<Approval, 'id'> {
  readonly identity: string;
  /** The whole definition, where it is not too large: a diff is made from it. */
  readonly value?: JsonObject;
}

/** A session that ends without a word leaves nothing behind for longer than this. */
const SESSION_MS = 86_400_000;
const PAGE = 200;
const MAX_DEFINITION = 65_536;

/**
 * The approvals of a user, each bound to the definition of its tool and to the command or address of its server. A tool whose definition has
 * changed is not approved any more.
 *
 * ```ts
 * import { Approvals, decide, parsePolicy, type CallSubject } from '@crosspoint/host';
 * import { memoryStore } from 'crosspoint/stores';
 *
 * const approvals = new Approvals({ store: memoryStore() });
 * const tool = { name: 'send', inputSchema: { type: 'object' } };
 * const call: CallSubject = { server: 'mail', tool, arguments: {}, isTrusted: false, influencedBy: [] };
 * await approvals.approve(call, { for: 'always' });
 * const { effect } = decide(parsePolicy({}), call, await approvals.look(call));
 * ```
 */
export class Approvals {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #session: string;
  readonly #audit: AuditWriter | undefined;
  readonly #now: () => number;
  readonly #pins: PinnedDefinitions;

  constructor(options: ApprovalsOptions) {
    const { store, session = crypto.randomUUID(), prefix = 'consent:', audit, now = Date.now } = options;
    this.#store = store;
    this.#prefix = prefix;
    this.#session = session;
    this.#audit = audit;
    this.#now = now;
    this.#pins = new PinnedDefinitions(store, prefix);
  }

  /** Compares what a server lists with what was first seen of it. Call it for each listing, before the server's tools are called. */
  observe(server: string, listing: PinnedListing): Promise<ServerChanges> {
    return this.#pins.observe(server, listing);
  }

  /** Takes everything that a server lists now for known. Approvals of changed tools stay void. */
  async accept(server: string, listing: PinnedListing): Promise<void> {
    await this.#pins.accept(server, listing);
    this.#write({ type: 'approval', server, details: { accepted: listing.tools.length } });
  }

  /** The approval that covers a call, and how the definition of its tool compares with what was seen and approved. */
  async look(subject: CallSubject): Promise<ApprovalState> {
    const definition = definitionOf(subject.tool);
    if (definition === undefined) return { seen: 'unclear', changes: [] };
    const found = await this.#found(subject);
    const valid = found.find((kept) => voidSince(kept, subject, definition) === undefined);
    if (valid !== undefined) return { seen: 'same', changes: [], approval: { for: valid.for, at: valid.at } };
    const pinned = await this.#pins.look(subject.server, subject.tool, definition);
    const [lapsed] = found;
    if (lapsed === undefined) return pinned;
    const text = voidSince(lapsed, subject, definition);
    const state = { ...pinned, ...(text !== undefined && { lapsed: text }) };
    if (lapsed.definition === definition.digest || pinned.changes.length > 0) return state;
    // The changes were accepted, not approved: the user is shown the difference to what was approved.
    return { ...state, changes: lapsed.value ? diffDefinitions(lapsed.value, definition.value) : [{ path: '' }] };
  }

  /** Keeps the user's approval of a call. `once` is not kept. With `session` and `always` the definition counts as known from now on. */
  async approve(subject: CallSubject, options: ApproveOptions): Promise<Approval | undefined> {
    const definition = definitionOf(subject.tool);
    const { server, tool } = subject;
    if (options.for === 'once' || definition === undefined) {
      this.#write({ type: 'approval', server, details: { tool: tool.name, for: 'once' } });
      return undefined;
    }
    const id = this.#key(options.for, subject, options.withArguments === true);
    const kept = this.#kept(subject, definition, { ...options, for: options.for });
    await this.#store.put(id, kept as unknown as Json, options.for === 'session' ? { ttlMs: SESSION_MS } : {});
    await this.#pins.acceptTool(server, tool, definition);
    const details = { tool: tool.name, for: kept.for, definition: kept.definition, arguments: kept.arguments };
    this.#write({ type: 'approval', server, details });
    return withId(id, kept);
  }

  /** The approvals that are kept: those for always, and those of this session. */
  async list(filter: { readonly server?: string } = {}): Promise<readonly Approval[]> {
    const found = await this.#all(filter.server);
    return found.map(([id, kept]) => withId(id, kept));
  }

  /** Takes back one approval, named by its `id`. False when there is none. */
  async revoke(id: string): Promise<boolean> {
    if (!this.#prefixes().some((prefix) => id.startsWith(prefix))) return false;
    const kept = readKept((await this.#store.get(id))?.value);
    const isGone = await this.#store.delete(id);
    if (isGone && kept !== undefined)
      this.#write({ type: 'approval', server: kept.server, details: { tool: kept.tool, revoked: kept.for } });
    return isGone;
  }

  /** Takes back every approval of a server and returns their number. */
  async revokeServer(server: string): Promise<number> {
    const found = await this.#all(server);
    const gone = await Promise.all(found.map(([id]) => this.revoke(id)));
    return gone.filter(Boolean).length;
  }

  /** Takes back every approval of a server and forgets its definitions: for a server that was removed. */
  async forget(server: string): Promise<void> {
    await this.revokeServer(server);
    await this.#pins.forget(server);
  }

  /** Ends the session: its approvals hold no more. */
  async endSession(): Promise<void> {
    for (const key of await this.#keys(this.#prefixOf('session'))) await this.#store.delete(key);
  }

  /** The approvals of a tool that could cover a call: for any arguments and for these, of the session and for always. */
  async #found(subject: CallSubject): Promise<readonly Kept[]> {
    const keys = (['session', 'always'] as const).flatMap((span) => [
      this.#key(span, subject, false),
      this.#key(span, subject, true),
    ]);
    const records = await Promise.all(keys.map((key) => this.#store.get(key)));
    return records.flatMap((record) => readKept(record?.value) ?? []);
  }

  #kept(subject: CallSubject, definition: Definition, options: ApproveOptions & { readonly for: Kept['for'] }): Kept {
    const isSmall = JSON.stringify(definition.value).length <= MAX_DEFINITION;
    return {
      server: subject.server,
      identity: subject.identity ?? '',
      tool: subject.tool.name,
      for: options.for,
      definition: definition.digest,
      ...(options.withArguments === true && { arguments: argumentsDigest(subject) }),
      at: new Date(this.#now()).toISOString(),
      ...(isSmall && { value: definition.value }),
    };
  }

  async #all(server: string | undefined): Promise<readonly [id: string, kept: Kept][]> {
    const of = server === undefined ? '' : `${digestOf(server)}:`;
    const keys = (await Promise.all(this.#prefixes().map((prefix) => this.#keys(prefix + of)))).flat();
    const found: [string, Kept][] = [];
    for (const key of keys) {
      const kept = readKept((await this.#store.get(key))?.value);
      if (kept !== undefined) found.push([key, kept]);
    }
    return found;
  }

  async #keys(prefix: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.#store.keys(prefix, { limit: PAGE, ...(after !== undefined && { after }) });
      found.push(...page);
      after = page.at(-1);
      if (page.length < PAGE) return found;
    }
  }

  /** A writer that fails takes no approval back: it tells of its problems itself. */
  #write(event: AuditEvent): void {
    attempt(() => this.#audit?.write(event));
  }

  #prefixes(): readonly string[] {
    return [this.#prefixOf('always'), this.#prefixOf('session')];
  }

  #prefixOf(span: Kept['for']): string {
    return `${this.#prefix}${span}:${span === 'session' ? `${digestOf(this.#session)}:` : ''}`;
  }

  /** Names are digested: a server chooses those of its tools. */
  #key(span: Kept['for'], subject: CallSubject, withArguments: boolean): string {
    const tool = `${this.#prefixOf(span)}${digestOf(subject.server)}:${digestOf(subject.tool.name)}`;
    return withArguments ? `${tool}:${argumentsDigest(subject)}` : tool;
  }
}

function argumentsDigest(subject: CallSubject): string {
  try {
    return digestOf(subject.arguments);
  } catch {
    // Nested too deeply for a digest: such arguments equal no others.
    return `none:${crypto.randomUUID()}`;
  }
}

/** Why an approval does not cover a call; `undefined` where it does. */
function voidSince(kept: Kept, subject: CallSubject, definition: Definition): string | undefined {
  if (kept.identity !== (subject.identity ?? ''))
    return `The approval of ${kept.at} does not count: the server had another command or address then.`;
  if (kept.definition !== definition.digest)
    return `The approval of ${kept.at} does not count: the definition of the tool has changed since.`;
  return undefined;
}

function withId(id: string, { identity: _identity, value: _value, ...approval }: Kept): Approval {
  return { id, ...approval };
}

function readKept(value: Json | undefined): Kept | undefined {
  return isObject(value) && typeof value['definition'] === 'string' ? (value as unknown as Kept) : undefined;
}
