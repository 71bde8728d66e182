import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { contentFault } from '../../protocol/content.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { compileSchema } from '@crosspoint/json-schema';
import { show } from '../match-value.ts';
import { ensureError, ensureResult } from './expected-answers.ts';
import { itemsOf } from './list-rules.ts';
import type { Answer } from './probe.ts';
import { ensure, NothingToCheck, type CheckContext, type Rule } from './rule.ts';

const INVALID_PARAMS = -32_602;

function needs({ probe }: CheckContext, capability: string): void {
  if (!hasCapability(probe.capabilities, capability)) throw new NothingToCheck(`the server has no ${capability}`);
}

function toolsNamed(tools: readonly JsonObject[], name: string): JsonObject {
  const tool = tools.find((one) => one['name'] === name);
  ensure(tool !== undefined, `there are examples for the tool "${name}", but it is not listed`);
  return tool;
}

async function examples(context: CheckContext): Promise<{ tool: JsonObject; args: JsonObject }[]> {
  if (Object.keys(context.examples).length === 0) throw new NothingToCheck('no example arguments were given');
  needs(context, 'tools');
  const tools = await itemsOf(context, { method: 'tools/list', items: 'tools' });
  return Object.entries(context.examples).flatMap(([name, all]) =>
    all.map((args) => ({ tool: toolsNamed(tools, name), args })),
  );
}

function call({ probe }: CheckContext, tool: JsonObject, args: JsonObject): Promise<Answer> {
  return probe.request('tools/call', { name: tool['name'], arguments: args });
}

function ensureContent(result: JsonObject, name: unknown): void {
  const { content } = result;
  ensure(Array.isArray(content), `the tool ${show(name)} gave no content: ${show(result)}`);
  for (const block of content) {
    const fault = contentFault(block);
    ensure(fault === undefined, `the tool ${show(name)} gave content that is not valid: ${fault}`);
  }
}

function ensureStructure(result: JsonObject, { name, outputSchema }: JsonObject): void {
  if (!isJsonObject(outputSchema)) return;
  ensure('structuredContent' in result, `the tool ${show(name)} has an output schema, but gave no structuredContent`);
  const checked = compileSchema(outputSchema).validate(result['structuredContent']);
  ensure(
    checked.ok,
    `the structuredContent of ${show(name)} breaks its output schema: ${checked.ok ? '' : checked.issues.map(({ message }) => message).join('; ')}`,
  );
}

/** A required argument of the tool, if it has one. */
function requiredOf({ inputSchema }: JsonObject): string | undefined {
  const required = isJsonObject(inputSchema) ? inputSchema['required'] : undefined;
  return Array.isArray(required) && typeof required[0] === 'string' ? required[0] : undefined;
}

export const CALL_RULES: readonly Rule[] = [
  {
    id: 'unknown-tool',
    level: 'must',
    text: 'A call of a tool that does not exist is answered with the error -32602.',
    check: async (context) => {
      needs(context, 'tools');
      ensureError(
        await context.probe.request('tools/call', { name: 'crosspoint-no-such-tool' }),
        INVALID_PARAMS,
        'an unknown tool',
      );
    },
  },
  {
    id: 'unknown-prompt',
    level: 'should',
    text: 'A prompt that does not exist is answered with the error -32602.',
    check: async (context) => {
      needs(context, 'prompts');
      const answer = await context.probe.request('prompts/get', { name: 'crosspoint-no-such-prompt' });
      ensureError(answer, INVALID_PARAMS, 'an unknown prompt');
    },
  },
  {
    id: 'unknown-resource',
    level: 'should',
    text: 'A resource that does not exist is answered with the error that the revision has for it.',
    check: async (context) => {
      needs(context, 'resources');
      const { code } = context.revision.writeError(new ProtocolError('resource-not-found', 'not found'));
      const answer = await context.probe.request('resources/read', { uri: 'crosspoint-no-such-scheme://nowhere' });
      ensureError(answer, code, 'an unknown resource');
    },
  },
  {
    id: 'params',
    level: 'must',
    text: 'Params without what the method needs are answered with the error -32602.',
    check: async (context) => {
      const methods = { tools: 'tools/call', prompts: 'prompts/get', resources: 'resources/read' };
      for (const [capability, method] of Object.entries(methods)) {
        if (!hasCapability(context.probe.capabilities, capability)) continue;
        ensureError(await context.probe.request(method), INVALID_PARAMS, `${method} without params`);
      }
    },
  },
  {
    id: 'log-level',
    level: 'should',
    text: 'A log level that does not exist is answered with the error -32602.',
    check: async (context) => {
      needs(context, 'logging');
      if (!context.revision.methods.has('logging/setLevel'))
        throw new NothingToCheck('the revision has no logging/setLevel');
      ensureError(
        await context.probe.request('logging/setLevel', { level: 'loud' }),
        INVALID_PARAMS,
        'an unknown log level',
      );
    },
  },
  {
    id: 'examples',
    level: 'must',
    text: 'A tool that is called with its example arguments gives valid content, and what its output schema promises.',
    check: async (context) => {
      for (const { tool, args } of await examples(context)) {
        const result = ensureResult(
          await call(context, tool, args),
          `the tool ${show(tool['name'])}, called with its example,`,
        );
        ensureContent(result, tool['name']);
        ensure(
          result['isError'] !== true,
          `the tool ${show(tool['name'])} failed with its example: ${show(result['content'])}`,
        );
        ensureStructure(result, tool);
      }
    },
  },
  {
    id: 'arguments',
    level: 'must',
    text: 'A call without a required argument fails, as a result that says so or with the error -32602.',
    check: async (context) => {
      const called = (await examples(context)).flatMap(({ tool, args }) => ({
        tool,
        args,
        missing: requiredOf(tool) ?? '',
      }));
      const checkable = called.filter(({ missing }) => missing !== '');
      if (checkable.length === 0) throw new NothingToCheck('no tool with examples has a required argument');
      for (const { tool, args, missing } of checkable) {
        const { [missing]: _, ...rest } = args;
        const answer = await call(context, tool, rest);
        if (answer.kind === 'result' && answer.result['isError'] === true) continue;
        ensureError(answer, INVALID_PARAMS, `the tool ${show(tool['name'])}, called without "${missing}",`);
      }
    },
  },
];
