import type { Store } from 'crosspoint/stores';
import type { AuditWriter } from '../audit/event.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { describeTarget } from '../config/show/describe-target.ts';
import type { TrustReader } from '../config/trust/trust-reader.ts';
import { decide } from '../consent/decide.ts';
import { decisionEvent } from '../consent/decision-event.ts';
import type { OtherSubject } from '../consent/decision.ts';
import { ownPolicy, type Policy } from '../consent/policy.ts';
import type { Asks } from '../inbox/item.ts';
import type { ServerPort, StartVerdict } from '../servers/server-port.ts';
import { digestOf } from '../values/digest.ts';
import { asJson } from '../values/json.ts';

/** The digest of the command or address of a server as it is configured, which approvals are bound to. */
export function identityOf({ name, reach }: ServerEntry): string {
  return reach.type === 'transport' ? `program:${name}` : digestOf(asJson(reach));
}

export interface StartGateOptions {
  readonly store: Store;
  readonly asks: Asks;
  readonly audit: AuditWriter;
  readonly trust: TrustReader;
  policy(): Policy;
}

/**
 * Says whether a server may be started. A file of a repository must be trusted first. Then the user sees the whole command or address, the
 * first time and whenever it has changed. Servers that the program itself names are allowed, unless a rule says otherwise.
 */
export class StartGate {
  readonly #options: StartGateOptions;

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  async mayStart(entry: ServerEntry, context: Parameters<ServerPort['mayStart']>[1]): Promise<StartVerdict> {
    const untrusted = await this.#untrusted(entry);
    if (untrusted !== undefined) return { isAllowed: false, reason: untrusted };
    const { store, audit, asks } = this.#options;
    const { target, warnings } = describeTarget(entry.reach);
    const subject: OtherSubject = {
      action: 'start',
      server: entry.name,
      name: target,
      arguments: {},
      isTrusted: entry.isTrusted === true,
      influencedBy: [],
    };
    const key = `host:start:${digestOf(entry.name)}`;
    const identity = identityOf(entry);
    const known = (await store.get(key))?.value;
    const policy = this.#options.policy();
    const isOwn = entry.origin.scope === 'program';
    const decision = decide(isOwn ? ownPolicy(policy) : policy, subject);
    audit.write(decisionEvent(subject, decision, { isOwn }));
    if (decision.effect === 'deny') return { isAllowed: false, reason: 'The policy denies it.' };
    if (decision.effect === 'allow' || known === identity) return { isAllowed: true };
    const isChanged = known !== undefined;
    const reason = isChanged
      ? `The command or address of the server "${entry.name}" has changed since you allowed it.`
      : `The server "${entry.name}" is to be started for the first time.`;
    context.onasking(reason);
    const from = { server: entry.name, reason };
    const { action } = await asks.ask('start', { target, warnings, isChanged }, from, { signal: context.signal });
    if (action !== 'allow') return { isAllowed: false, reason: 'The user did not allow it.' };
    await store.put(key, identity);
    return { isAllowed: true };
  }

  /** Forgets that the server was allowed. */
  async forget(server: string): Promise<void> {
    await this.#options.store.delete(`host:start:${digestOf(server)}`);
  }

  async #untrusted({ origin }: ServerEntry): Promise<string | undefined> {
    if (origin.scope !== 'project') return undefined;
    const state = await this.#options.trust.stateOf(origin);
    if (state === 'trusted') return undefined;
    const file = origin.file ?? 'its file';
    return state === 'changed'
      ? `The file ${file} has changed since it was trusted.`
      : `The file ${file} belongs to a repository and is not trusted.`;
  }
}
