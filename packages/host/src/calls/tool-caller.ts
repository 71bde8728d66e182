import { randomUUID } from 'node:crypto';
import type { CallToolResult, Client, ProgressCallback, Task } from 'crosspoint/client';
import type { AuditWriter } from '../audit/event.ts';
import type { Catalogue, CatalogueTool } from '../catalogue/catalogue.ts';
import type { Approvals } from '../consent/approvals.ts';
import { decide } from '../consent/decide.ts';
import { definitionOf } from '../consent/definition.ts';
import { decisionEvent } from '../consent/decision-event.ts';
import type { CallSubject, Decision } from '../consent/decision.ts';
import type { Policy } from '../consent/policy.ts';
import type { Asks, Provenance } from '../inbox/item.ts';
import type { CallsInFlight, FollowedCall } from '../context/calls-in-flight.ts';
import type { Exchange } from '../context/server-context.ts';
import { asError, orAborted } from '../values/guard.ts';
import { digestOf } from '../values/digest.ts';
import { asJson, type JsonObject } from '../values/json.ts';
import type { HostServer } from '../servers/host-server.ts';
import { asTask, type TaskOptions } from './as-task.ts';
import { CallDeniedError, ResultWithheldError, UnknownToolError } from './call-errors.ts';
import type { Conversations } from './conversations.ts';
import type { RunningCalls } from './running-calls.ts';
import { similarNames } from './similar-names.ts';

export interface CallOptions {
  /** The id of the call in the audit log, the inbox and `host.calls()`, used for no other; a random one when absent. */
  readonly id?: string | undefined;
  /** Cancels the call: the server is told, and a question to the user is withdrawn. */
  readonly signal?: AbortSignal | undefined;
  readonly onprogress?: ProgressCallback | undefined;
  /** Names the conversation that the call belongs to, for rules about what may flow from one server to another; one for all when absent. */
  readonly conversation?: string | undefined;
  /** Why the call is made, for the user who is asked: the words of the model, or of the program. */
  readonly reason?: string | undefined;
  /**
   * Called when the call was allowed, before it is sent, with the arguments, which the user may have changed: for programs that write down what they
   * do. The call waits for it, and fails where it fails.
   */
  readonly beforeSend?: ((args: JsonObject) => void | Promise<void>) | undefined;
  /** Starts the call as a task, where the server has tasks and the tool can be one. Giving the call up then leaves the task alone. */
  readonly task?: TaskOptions | undefined;
}

/** The side of the host that knows its servers. */
interface CallsSide {
  inFlight(server: string): CallsInFlight;
  /** The call is over, and its result was reviewed where it had to be. */
  heard(exchange: Exchange): void;
}

/** The parts of the host that a call passes. */
export interface CallerPort {
  readonly catalogue: Catalogue;
  readonly approvals: Approvals;
  readonly conversations: Conversations;
  readonly running: RunningCalls;
  readonly audit: AuditWriter;
  readonly asks: Asks;
  readonly side: CallsSide;
  policy(): Policy;
  server(name: string): HostServer | undefined;
  identity(server: string): string;
  isTrusted(server: string): boolean;
}

const DEFAULT_CONVERSATION = '';
const MOST_CHANGES = 3;

/** A call on its way: the tool as it was found, and the arguments as they stand. */
interface Wanted {
  readonly id: string;
  readonly found: CatalogueTool;
  readonly arguments: JsonObject;
  readonly options: CallOptions;
  readonly signal: AbortSignal;
}

/** Carries out calls of tools: decided on, asked for where needed, sent, reviewed, and written down. */
export class ToolCaller {
  readonly #port: CallerPort;

  constructor(port: CallerPort) {
    this.#port = port;
  }

  async call(name: string, args: JsonObject, options: CallOptions): Promise<CallToolResult> {
    const found = this.#find(name);
    const id = options.id ?? randomUUID();
    const running = { id, tool: name, server: found.server, arguments: args };
    return this.#port.running.run(running, options.signal, (signal) =>
      this.#carryOut({ id, found, arguments: args, options: { ...options, signal }, signal }),
    );
  }

  /** The subject of a call that is not made: for `explain`. */
  subject(name: string, args: JsonObject, conversation: string = DEFAULT_CONVERSATION): CallSubject {
    return this.#subject(this.#find(name), args, conversation);
  }

  #find(name: string): CatalogueTool {
    const { catalogue } = this.#port;
    const found = catalogue.tool(name);
    if (found !== undefined) return found;
    throw new UnknownToolError(
      name,
      similarNames(
        name,
        catalogue.tools().map((tool) => tool.name),
      ),
    );
  }

  #subject({ server, tool }: CatalogueTool, args: JsonObject, conversation: string): CallSubject {
    const { conversations } = this.#port;
    return {
      server,
      tool,
      arguments: args,
      isTrusted: this.#port.isTrusted(server),
      influencedBy: conversations.influences(conversation, server),
      identity: this.#port.identity(server),
    };
  }

  async #carryOut(wanted: Wanted): Promise<CallToolResult> {
    const { id, options } = wanted;
    // A store or a callback of the program may never settle: a call that was not sent yet can be cancelled all the same.
    const allowed = await orAborted(this.#allowed(wanted), wanted.signal);
    const { found, decision } = allowed;
    if (options.beforeSend !== undefined) await this.#announced(wanted, allowed);
    this.#port.running.become(id, 'running');
    const result = await this.#send({ ...wanted, found, arguments: allowed.arguments });
    const conversation = options.conversation ?? DEFAULT_CONVERSATION;
    this.#port.conversations.add(conversation, found.server);
    const final = decision.reviewsResult ? await this.#reviewed(wanted, result) : result;
    const { server, tool } = found;
    this.#port.side.heard({ server, tool: tool.name, arguments: allowed.arguments, result: final, conversation });
    return final;
  }

  /** Tells the program of a call that was allowed. A definition that changes meanwhile was not the one that was decided on. */
  async #announced(
    { options, signal }: Wanted,
    { found, arguments: args }: { readonly found: CatalogueTool; readonly arguments: JsonObject },
  ): Promise<void> {
    await orAborted(Promise.resolve(options.beforeSend?.(args)), signal);
    if (definedBy(this.#find(found.name)) !== definedBy(found))
      throw new Error(`The definition of ${found.name} changed before the call was sent, so it was not called.`);
  }

  /** Resolves when the call may be made. A definition that changes while the user decides is decided on again. */
  async #allowed(wanted: Wanted): Promise<{ found: CatalogueTool; arguments: JsonObject; decision: Decision }> {
    let { found } = wanted;
    let args = wanted.arguments;
    for (let changes = 0; changes <= MOST_CHANGES; changes += 1) {
      const before = definedBy(found);
      const outcome = await this.#decided({ ...wanted, found, arguments: args });
      const server = this.#port.server(found.server);
      await server?.ready(wanted.options.signal);
      await server?.listed();
      found = this.#find(found.name);
      args = outcome.arguments;
      if (definedBy(found) === before) return { found, arguments: args, decision: outcome.decision };
    }
    throw new Error(`The definition of ${found.name} changes all the time, so it was not called.`);
  }

  async #decided(wanted: Wanted): Promise<{ arguments: JsonObject; decision: Decision }> {
    const { id, found, options } = wanted;
    const { approvals, audit, asks } = this.#port;
    const subject = this.#subject(found, wanted.arguments, options.conversation ?? DEFAULT_CONVERSATION);
    const state = await approvals.look(subject);
    const decision = decide(this.#port.policy(), subject, state);
    audit.write(decisionEvent(subject, decision, { state, call: id }));
    if (decision.effect === 'deny') throw new CallDeniedError(found.name, decision, { by: 'policy' });
    if (decision.effect === 'allow') return { arguments: wanted.arguments, decision };
    const question = { tool: found.tool, arguments: wanted.arguments, decision, changes: state.changes };
    const answer = await asks.ask('call', question, this.#provenance(wanted), { signal: options.signal });
    options.signal?.throwIfAborted();
    if (answer.action === 'deny')
      throw new CallDeniedError(found.name, decision, { by: 'user', message: answer.message });
    const span = decision.everyTime === true ? 'once' : (answer.for ?? 'once');
    await approvals.approve(subject, { for: span });
    return { arguments: answer.arguments ?? wanted.arguments, decision };
  }

  async #send(wanted: Wanted): Promise<CallToolResult> {
    const { id, found, options } = wanted;
    const { server, tool } = found;
    const { audit } = this.#port;
    const client = await this.#port.server(server)?.ready(options.signal);
    if (client === undefined) throw new UnknownToolError(found.name, []);
    audit.write({ type: 'call', server, call: id, details: { tool: tool.name, arguments: wanted.arguments } });
    const call = { id, tool: found.name, arguments: wanted.arguments };
    try {
      const result = await this.#port.side
        .inFlight(server)
        .during(call, (followed) => sent(client, wanted, followed), options.conversation ?? DEFAULT_CONVERSATION);
      audit.write({
        type: 'result',
        server,
        call: id,
        details: { isError: result.isError === true, digest: digestOf(asJson(result)) },
      });
      return result;
    } catch (error) {
      audit.write({ type: 'result', server, call: id, details: { error: asError(error).message } });
      throw error;
    }
  }

  async #reviewed(wanted: Wanted, result: CallToolResult): Promise<CallToolResult> {
    const { found, options } = wanted;
    const question = { tool: found.name, result: asJson(result) };
    const from = {
      ...this.#provenance(wanted),
      reason: `A rule has results of ${found.name} reviewed before the model sees them.`,
    };
    const answer = await this.#port.asks.ask('result', question, from, { signal: options.signal });
    options.signal?.throwIfAborted();
    if (answer.action === 'deny') throw new ResultWithheldError(found.name, answer.message);
    return (answer.result as object as CallToolResult | undefined) ?? result;
  }

  #provenance({ id, found, options, arguments: args }: Wanted): Provenance {
    const reason = options.reason ?? `The tool ${found.tool.name} of the server ${found.server} is to be called.`;
    return { server: found.server, call: { id, tool: found.name, arguments: args }, reason };
  }
}

/** Sends the call. The task that it becomes is known as the call's own, so that questions of the task name the call. */
function sent(
  client: Client,
  { found: { tool }, arguments: args, options }: Wanted,
  followed: FollowedCall,
): Promise<CallToolResult> {
  const params = { name: tool.name, arguments: args };
  const { signal, onprogress } = options;
  let known: string | undefined;
  const onstatus = ({ taskId }: Task): void => {
    if (taskId !== known) followed.onsent((known = taskId));
  };
  const settings = { signal, onprogress, toolDefinition: tool, onstatus, ...followed };
  return options.task === undefined
    ? client.callTool(params, settings)
    : asTask(client, params, { ...settings, task: options.task });
}

/** The digest of the definition; the definition itself where it is nested too deeply for one. */
function definedBy({ tool }: CatalogueTool): unknown {
  return definitionOf(tool)?.digest ?? tool;
}
