import { visibleLine, visibleText } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';
import { tableText } from '../../output/table.ts';
import type { ServerFacts } from '../../server/operations.ts';

/** A server in words. */
export function factsText(facts: ServerFacts, { bold }: Colours): string {
  const { name, target, family, revision, server, capabilities, instructions, tools, resources, templates, prompts } =
    facts;
  const rows = [
    ['target', target],
    ['server', visibleLine(`${server.title ?? server.name} ${server.version}`)],
    ['speaks', `${revision} (${family} family)`],
    ['capabilities', visibleLine(Object.keys(capabilities).join(', ') || 'none')],
    ['offers', `${tools} tools, ${resources} resources, ${templates} templates, ${prompts} prompts`],
  ];
  const words = instructions === undefined ? [] : ['', visibleText(instructions)];
  return [bold(name), tableText(rows), ...words].join('\n');
}
