import { resolve } from 'node:path';
import { defineCommand, type Command } from '../../grammar/command.ts';

const ls: Command = defineCommand({
  path: ['trust', 'ls'],
  says: 'List the files of folders that you trust, and those of this folder.',
  examples: [{ line: 'crosspoint trust ls', says: 'State, file, and the servers in it.' }],
  prints: '{ files: [{ file, state: "trusted" | "unknown" | "changed" | "missing", digest?, at?, servers: [name] }] }',
  async run(_, context) {
    const { listTrust, trustText } = await import('./listing.ts');
    const files = await listTrust(context);
    context.output.result({ files }, () => trustText(files, context.output.colours));
  },
});

const grant: Command = defineCommand({
  path: ['trust', 'grant'],
  says: 'Trust a configuration file of a folder, after a look at it.',
  about:
    'Every server is shown with its whole command or address, with warnings, and for a file that was trusted before with the differences. Trust is for this content: after a change the file is refused again. --digest trusts only the content that you have looked at before.',
  arguments: [{ name: 'file', says: 'the file, such as .mcp.json', completes: 'file' }],
  options: {
    yes: { type: 'flag', says: 'Trust it without a question.' },
    digest: { type: 'text', value: 'sha256:…', says: 'Trust it without a question, if it has this content.' },
  },
  examples: [
    { line: 'crosspoint trust grant .mcp.json', says: 'Shows the file, and asks.' },
    { line: 'crosspoint trust grant .mcp.json --digest sha256:0f3a…', says: 'In a script.' },
  ],
  prints:
    '{ file, digest, state, servers: [{ name, target, warnings }], changes: [{ server, path, before?, after? }], problems, isTrusted }',
  endings: ['denied', 'mismatch'],
  async run({ words: [file = ''], options }, context) {
    const { grantTrust } = await import('./granting.ts');
    await grantTrust(resolve(context.io.cwd, file), options, context);
  },
});

const revoke: Command = defineCommand({
  path: ['trust', 'revoke'],
  says: 'Trust a file no longer.',
  arguments: [{ name: 'file', says: 'the file', completes: 'file' }],
  examples: [{ line: 'crosspoint trust revoke .mcp.json', says: 'Its servers are refused from now on.' }],
  prints: '{ file, wasTrusted }',
  async run({ words: [word = ''] }, context) {
    const { revokeTrust } = await import('./granting.ts');
    const file = resolve(context.io.cwd, word);
    const wasTrusted = await revokeTrust(file, context);
    context.output.result({ file, wasTrusted }, () =>
      wasTrusted ? `${file} is trusted no longer.` : `${file} was not trusted.`,
    );
  },
});

export const trust: readonly Command[] = [ls, grant, revoke];
