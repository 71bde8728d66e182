import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { follow, untilInterrupted } from '../../server/followed.ts';
import type { OpenServer } from '../../server/open-server.ts';
import { requireCapability } from '../../server/required-capability.ts';

export const watch: Command = defineCommand({
  path: ['resources', 'watch'],
  says: 'Print a line for each change of resources, or of the list of them.',
  about:
    'With addresses, changes of these resources are printed; without any, changes of the list of resources. It ends by Ctrl-C or a signal, with exit code 0, or after --count changes. After an interruption of the connection everything watched is told as changed. An address that the server neither lists nor has a template for is an error, because its change may never come.',
  target: 'needed',
  arguments: [
    { name: 'address', says: 'the address of a resource', isOptional: true, isMany: true, completes: 'resource' },
  ],
  options: {
    count: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 1_000_000,
      isWhole: true,
      says: 'End after this many changes.',
    },
    unlisted: { type: 'flag', says: 'Watch addresses also where the server lists nothing that fits them.' },
  },
  examples: [
    { line: 'crosspoint resources watch ev demo://resource/dynamic/text/1', says: 'Until Ctrl-C.' },
    { line: 'crosspoint resources watch ev --count 1 --timeout 60', says: 'Waits for the next change of the list.' },
  ],
  prints: 'a line for each change: { at, kind: "resource", uri } or { at, kind: "resources" }',
  async run({ target, words: uris, options }, { withServer, output, signal }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    return untilInterrupted(signal, (began) =>
      withServer(target, async (server) => {
        await requireCapability(server, 'resources');
        if (!options.unlisted && uris.length > 0) await requireListed(server, uris);
        const { visibleLine } = output.isJson ? { visibleLine: String } : await import('@crosspoint/host');
        await follow(
          server,
          'resources.watch',
          { uris },
          {
            count: options.count,
            take(event) {
              if (event.type === 'note') output.note(event.text);
              if (event.type === 'note') began();
              if (event.type !== 'change') return false;
              const { type: _type, ...change } = event;
              output.item(
                change,
                () => `${event.at} ${event.kind === 'resource' ? visibleLine(event.uri) : 'the list'}`,
              );
              return true;
            },
          },
        );
      }),
    );
  },
});

async function requireListed(server: OpenServer, uris: readonly string[]): Promise<void> {
  const { resources } = await server.request('resources.list', {});
  const listed = new Set(resources.map(({ uri }) => uri));
  const left = uris.filter((uri) => !listed.has(uri));
  if (left.length === 0) return;
  const { resourceTemplates } = await server.request('resources.templates', {});
  const { fitsTemplate } = await import('../../values/uri-template.ts');
  const unknown = left.find((uri) => !resourceTemplates.some(({ uriTemplate }) => fitsTemplate(uriTemplate, uri)));
  if (unknown !== undefined)
    throw new CliError('usage', `The server "${server.name}" lists no resource ${JSON.stringify(unknown)}.`, {
      hint: 'Nothing is watched. --unlisted watches it all the same.',
      mistyped: { word: unknown, among: [...listed] },
    });
}
