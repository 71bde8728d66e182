import { describe, expect, it } from 'vitest';
import { contentFault } from '../../src/protocol/content.ts';
import { LOG_LEVELS } from '../../src/protocol/logging.ts';
import { isValidExtensionId, isValidMetaKey } from '../../src/protocol/meta.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { isReservedMetaKey } from '../../src/revisions/reserved-meta-keys.ts';

const [newest, d, c, b, a] = revisions as [Revision, Revision, Revision, Revision, Revision];

describe('keys of _meta', () => {
  proves('L-MESSAGES-028, M-BASE-033, M-BASE-034').it.each(['com.example/a', 'a/', 'a.b-c.d1/x', 'x1-y.z/n'])(
    'may have a prefix of labels: %s',
    (key) => expect(isValidMetaKey(key)).toBe(true),
  );
  proves('L-MESSAGES-028, M-BASE-033, M-BASE-034').it.each([
    '/a',
    'a..b/x',
    '.a/x',
    'a./x',
    '1a/x',
    'a-/x',
    '-a/x',
    'a_b/x',
    'a.1b/x',
    'a b/x',
    'é/x',
  ])('have no other prefix: %s', (key) => expect(isValidMetaKey(key)).toBe(false));
  proves('L-MESSAGES-029, M-BASE-037').it.each(['a', 'A9', '0', 'a-b_c.d', 'com.example/', 'com.example/9x'])(
    'may be named %s',
    (key) => expect(isValidMetaKey(key)).toBe(true),
  );
  proves('L-MESSAGES-029, M-BASE-037').it.each([
    '',
    '-a',
    'a-',
    '_a',
    'a.',
    '.a',
    'a b',
    'com.example/-a',
    'com.example/a/b',
    'com.example/a_',
  ])('may not be named "%s"', (key) => expect(isValidMetaKey(key)).toBe(false));

  proves('L-MESSAGES-030').it('are reserved by the last label but one in 2025-06-18', () => {
    for (const key of ['modelcontextprotocol.io/a', 'mcp.dev/a', 'api.modelcontextprotocol.org/a', 'tools.mcp.com/a'])
      expect(isReservedMetaKey(c, key), key).toBe(true);
    for (const key of [
      'io.modelcontextprotocol/a',
      'com.example.mcp/a',
      'com.example/a',
      'mcp/a',
      'mcp',
      'progressToken',
    ])
      expect(isReservedMetaKey(c, key), key).toBe(false);
  });

  proves('L-MESSAGES-031, M-BASE-036').it.each([newest, d])('are reserved by the second label in $id', (revision) => {
    for (const key of ['io.modelcontextprotocol/a', 'dev.mcp/a', 'org.modelcontextprotocol.api/a', 'com.mcp.tools/a'])
      expect(isReservedMetaKey(revision, key), key).toBe(true);
    for (const key of ['com.example.mcp/a', 'mcp.dev/a', 'com.example/a', 'mcp/a', 'mcp', 'a'])
      expect(isReservedMetaKey(revision, key), key).toBe(false);
  });

  it.each([b, a])('are free in $id', (revision) =>
    expect(isReservedMetaKey(revision, 'io.modelcontextprotocol/a')).toBe(false),
  );

  proves('M-VER-005').it('are the ids of extensions when they have a prefix', () => {
    for (const id of ['io.modelcontextprotocol/tasks', 'com.example/a-b']) expect(isValidExtensionId(id)).toBe(true);
    for (const id of ['tasks', 'com.example/', '/tasks', '1a/x', 'com.example/-x', 'a/b/c', ''])
      expect(isValidExtensionId(id)).toBe(false);
  });
});

describe('log levels', () => {
  proves('M-LOG-009, L-LOGGING-002').it('are the eight of syslog, least severe first', () =>
    expect(LOG_LEVELS).toEqual(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']),
  );
});

describe('sound in prompts', () => {
  const message = { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } };
  const write = (revision: Revision): unknown =>
    revision.writeResult(
      'prompts/get',
      { kind: 'complete', result: { messages: [message] } },
      { name: 'a', version: '1' },
    )['messages'];

  proves('L-PROMPTS-006').it('is base64 with a MIME type, and not there in 2024-11-05', () => {
    expect(contentFault(message.content)).toBeUndefined();
    expect(contentFault({ ...message.content, data: '***' })).toContain('base64');
    expect(contentFault({ ...message.content, mimeType: 'sound' })).toContain('MIME');
    for (const revision of [d, c, b]) expect(write(revision)).toEqual([message]);
    expect(JSON.stringify(write(a))).not.toContain('"type":"audio"');
  });
});
