import { describe, expect, it } from 'vitest';
import { sharedFacts } from '../../src/server/session/shared-facts.ts';

describe('what handshakes say of their clients', () => {
  it('is one object for all that say the same, and another for whoever says something else', () => {
    const said = { name: 'editor', version: '1', icons: [{ src: 'https://example.com/a.png' }] };
    const first = sharedFacts(said, { roots: { listChanged: true } });
    expect(first).toEqual({ client: said, capabilities: { roots: { listChanged: true } } });
    expect(sharedFacts({ ...said }, { roots: { listChanged: true } })).toBe(first);
    expect(sharedFacts({ ...said }, {})).not.toBe(first);
    expect(sharedFacts({ ...said, version: '2' }, { roots: { listChanged: true } }).client?.version).toBe('2');
  });

  it('cannot be altered by anyone, and leaves what was given alone', () => {
    const said = { name: 'editor', version: '3' };
    const { client, capabilities } = sharedFacts(said, { sampling: { tools: {} } });
    expect(client).not.toBe(said);
    expect(Object.isFrozen(said)).toBe(false);
    expect(() => Object.assign(client as object, { name: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(capabilities.sampling as object, { tools: undefined })).toThrow(TypeError);
  });

  it('is not remembered where it is long, nor for more clients than a hundred', () => {
    const long = { name: 'x'.repeat(5000), version: '1' };
    expect(sharedFacts(long, {})).not.toBe(sharedFacts(long, {}));
    const oldest = sharedFacts({ name: 'oldest', version: '1' }, {});
    for (let index = 0; index < 100; index += 1) sharedFacts({ name: `client ${index}`, version: '1' }, {});
    expect(sharedFacts({ name: 'oldest', version: '1' }, {})).not.toBe(oldest);
  });
});
