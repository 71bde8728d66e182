import { defineCommand, type Command } from '../../grammar/command.ts';

const ls: Command = defineCommand({
  path: ['audit', 'ls'],
  says: 'List what was decided, asked, called and answered.',
  about: 'Secrets were masked before anything was written. The newest entries are shown, the oldest of them first.',
  options: {
    since: { type: 'text', value: 'TIME', says: 'Only entries since then: 30m, 2h, 7d, or a date.' },
    until: { type: 'text', value: 'TIME', says: 'Only entries before then.' },
    server: { type: 'text', value: 'NAME', says: 'Only entries about this server.' },
    type: {
      type: 'text',
      value: 'TYPE',
      says: 'Only entries of this type, such as call, decision, answer, trust or server.',
    },
    call: { type: 'text', value: 'ID', says: 'Only entries of this call.' },
    limit: { type: 'number', value: 'NUMBER', least: 1, most: 100_000, says: 'The most entries; 50 when absent.' },
  },
  examples: [{ line: 'crosspoint audit ls --since 2h --type call', says: 'The calls of the last two hours.' }],
  prints: '{ entries: [{ sequence, at, event: { type, server?, call?, details }, previous, hash }] }',
  async run({ options }, context) {
    const { listAudit } = await import('./reading.ts');
    await listAudit(options, context);
  },
});

const show: Command = defineCommand({
  path: ['audit', 'show'],
  says: 'Show one entry of the audit log whole.',
  arguments: [{ name: 'number', says: 'its number, as crosspoint audit ls shows it' }],
  examples: [{ line: 'crosspoint audit show 41', says: 'Everything that was written.' }],
  prints: '{ sequence, at, event: { type, server?, call?, details }, previous, hash }',
  async run({ words: [number = ''] }, context) {
    const { showAudit } = await import('./reading.ts');
    await showAudit(number, context);
  },
});

const verify: Command = defineCommand({
  path: ['audit', 'verify'],
  says: 'Check that nothing in the audit log was changed.',
  about:
    'Entries that were changed, removed, inserted or moved are found, and a removed end. With the anchor of an export, which is kept elsewhere, a log that was written anew is found, too. Exit code 7 when something is wrong.',
  options: {
    file: { type: 'text', value: 'FILE', completes: 'file', says: 'Check the lines of an export in place of the log.' },
    anchor: { type: 'text', value: 'NUMBER:HASH', says: 'An end of the log that was kept elsewhere.' },
  },
  examples: [
    { line: 'crosspoint audit verify', says: 'The log of this user.' },
    { line: 'crosspoint audit verify --file audit.jsonl', says: 'An export.' },
  ],
  prints: '{ ok, entries, problems: [{ sequence, what }] }',
  endings: ['mismatch'],
  async run({ options }, context) {
    const { verifyAudit } = await import('./verifying.ts');
    return verifyAudit(options, context);
  },
});

const exportLog: Command = defineCommand({
  path: ['audit', 'export'],
  says: 'Write the whole audit log as lines of JSON.',
  about:
    'The last line holds the head, so that a missing end is found. The anchor that is told names that end: kept elsewhere, it shows later that nothing up to there was changed.',
  options: {
    output: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Write to this file, for you alone to read; stdout when absent.',
    },
  },
  examples: [{ line: 'crosspoint audit export --output audit.jsonl', says: 'Writes the log, and tells the anchor.' }],
  prints: 'the lines; with --output: { file, entries, anchor }',
  async run({ options }, context) {
    const { exportAudit } = await import('./verifying.ts');
    await exportAudit(options.output, context);
  },
});

export const audit: readonly Command[] = [ls, show, verify, exportLog];
