import type { CallToolResult } from 'crosspoint/client';
import type { JsonObject } from '@crosspoint/host';
import type { OperationEvent } from '../operations.ts';
import type { HeldCallFacts } from './operations.ts';

interface HeldCall {
  readonly facts: Pick<HeldCallFacts, 'id' | 'tool' | 'arguments' | 'startedAt'>;
  readonly result: Promise<CallToolResult>;
  /** Listeners for its progress. */
  readonly listeners: Set<(event: OperationEvent) => void>;
  outcome: 'running' | 'done' | 'failed';
  /** Whether its command has left: its result is kept. */
  isParked: boolean;
}

export interface CallStart {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly onevent: ((event: OperationEvent) => void) | undefined;
}

/** Results that are kept for commands that come back. */
const MOST_RESULTS = 50;

/** The calls of one connection, by id. A call whose command has left goes on, and its result is kept until it is asked for. */
export class HeldCalls {
  readonly #calls = new Map<string, HeldCall>();

  get isBusy(): boolean {
    return [...this.#calls.values()].some(({ outcome }) => outcome === 'running');
  }

  /** Runs a call; `tell` passes its events to everyone who waits for it. */
  run(
    { id, tool, arguments: args, onevent }: CallStart,
    work: (tell: (event: OperationEvent) => void) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const listeners = new Set(onevent === undefined ? [] : [onevent]);
    const result = work((event) => {
      for (const listener of listeners) listener(event);
    });
    const facts = { id, tool, arguments: args, startedAt: new Date().toISOString() };
    const call: HeldCall = { facts, result, listeners, outcome: 'running', isParked: false };
    this.#calls.set(id, call);
    result.then(
      ({ isError }) => this.#ended(call, isError === true ? 'failed' : 'done'),
      () => this.#ended(call, 'failed'),
    );
    return result;
  }

  /** The command of a call has left. */
  park(id: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.isParked = true;
  }

  /** The result of a call, which is then forgotten; `undefined` where there is no such call. */
  wait(id: string, onevent: ((event: OperationEvent) => void) | undefined): Promise<CallToolResult> | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    if (onevent !== undefined) call.listeners.add(onevent);
    return call.result.finally(() => {
      if (onevent !== undefined) call.listeners.delete(onevent);
    });
  }

  /** The result has reached a command. */
  forget(id: string): void {
    if (this.#calls.get(id)?.outcome !== 'running') this.#calls.delete(id);
  }

  list(): readonly Pick<HeldCall, 'facts' | 'outcome'>[] {
    return [...this.#calls.values()];
  }

  #ended(call: HeldCall, outcome: 'done' | 'failed'): void {
    call.outcome = outcome;
    if (!call.isParked) this.#calls.delete(call.facts.id);
    const ended = [...this.#calls.values()].filter((one) => one.outcome !== 'running');
    for (const { facts } of ended.slice(0, Math.max(0, ended.length - MOST_RESULTS))) this.#calls.delete(facts.id);
  }
}
