import type { ServerContext } from 'crosspoint/server';
import { describe, expect, it } from 'vitest';
import { toldFacts } from '../../src/upstream/told-facts.ts';

type Facts = ServerContext['facts'];

const client = { name: 'caller', version: '1.0.0' };
const facts = (more: Partial<Facts> = {}): Facts => ({ client, capabilities: { elicitation: {} }, ...more });
const told = (given: Facts, family: 'handshake' | 'per-request', takesTask = false): Facts =>
  toldFacts({ facts: given, family } as ServerContext, takesTask);

describe('the facts that a server without sessions is told', () => {
  it('are one object for equal facts of requests, and for the facts of a session', () => {
    expect(told(facts(), 'per-request')).toBe(told(facts(), 'per-request'));
    const ofSession = facts();
    expect(told(ofSession, 'handshake')).toBe(told(ofSession, 'handshake'));
  });

  it('are others where the client, its capabilities or its level differ', () => {
    const others = [
      { client: { name: 'other', version: '1.0.0' } },
      { capabilities: {} },
      { logLevel: 'debug' },
    ] as const;
    for (const more of others) {
      const { client: name, capabilities, logLevel } = { ...facts(), ...more };
      expect(told(facts(more), 'per-request')).toEqual({ client: name, capabilities, logLevel });
    }
  });

  it('name the tasks of the bridge only where it takes one, and never those of the client', () => {
    const tasks = { 'io.modelcontextprotocol/tasks': {} };
    const declared = facts({ capabilities: { extensions: { ...tasks, 'com.example/own': {} } } });
    expect(told(declared, 'per-request').capabilities.extensions).toEqual({ 'com.example/own': {} });
    expect(told(declared, 'per-request', true).capabilities.extensions).toEqual({ ...tasks, 'com.example/own': {} });
  });

  it('are told in full where they are too long to be kept', () => {
    const long = facts({ client: { name: 'x'.repeat(5000), version: '1.0.0' } });
    expect(told(long, 'per-request').client).toEqual(long.client);
  });
});
