import type { effectiveAnnotations, Tool } from 'crosspoint/client';
import { explanationText, visibleLine, visibleText, type Explanation } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';
import { signatureText } from './tools-text.ts';

export interface WholeTool {
  readonly tool: Tool;
  readonly annotations: ReturnType<typeof effectiveAnnotations>;
  readonly policy: Explanation;
}

/** Everything that is known of a tool, in words. */
export function toolText({ tool, annotations, policy }: WholeTool, colours: Colours): string {
  const { bold } = colours;
  const { name: _name, title, description, inputSchema, outputSchema, annotations: _said, ...others } = tool;
  const section = (heading: string, text: string): string[] => ['', bold(heading), text];
  return [
    signatureText(tool, colours),
    ...(title === undefined ? [] : [visibleLine(title)]),
    ...(description === undefined ? [] : ['', visibleText(description)]),
    ...section('Says of itself', hintsText(annotations)),
    ...section('Arguments', json(inputSchema)),
    ...(outputSchema === undefined ? [] : section('Result', json(outputSchema))),
    ...(Object.keys(others).length === 0 ? [] : section('Others', json(others))),
    ...section('Policy', visibleText(explanationText(policy))),
  ].join('\n');
}

function hintsText({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: WholeTool['annotations']): string {
  const world = openWorldHint ? 'reaches the world outside' : 'stays within its own data';
  if (readOnlyHint) return `changes nothing, ${world}`;
  const changes = destructiveHint ? 'may change or delete' : 'only adds';
  return `${changes}, ${idempotentHint ? 'twice is as once' : 'twice is not as once'}, ${world}`;
}

const json = (value: object): string => visibleText(JSON.stringify(value, undefined, 2));
