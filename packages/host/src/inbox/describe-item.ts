import { describeUrl, readForm, type FormField } from 'crosspoint/client';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import { visibleLine, visibleText } from '../values/visible-text.ts';
import type { DefinitionChange, InboxItem, Questions } from './item.ts';
import { samplingLines, sampledLines } from './describe-sampling.ts';
import { cut, jsonLines, limited, quoted } from './shown-text.ts';

/** A question in plain words: everything that a person has to know before answering, without characters that a terminal would act on. */
export interface ItemDescription {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Describes a question for a terminal or a plain list. Texts of servers are cut at a length and shown with unseen characters as codes;
 * addresses are shown whole, their host on a line of its own.
 */
export function describeItem(item: InboxItem): ItemDescription {
  const { from } = item;
  const who = from.server === undefined ? 'The host' : `The server ${quoted(from.server)}`;
  const { title, lines } = describeQuestion(item, who);
  const call =
    from.call === undefined ? [] : [`Call: ${cut(from.call.tool, 200)}`, ...indented(jsonLines(from.call.arguments))];
  return {
    title,
    lines: limited([...lines, ...(item.kind === 'call' ? [] : call), `Why: ${cut(from.reason, 1000)}`]),
  };
}

function describeQuestion(item: InboxItem, who: string): ItemDescription {
  switch (item.kind) {
    case 'start':
      return describeStart(item.question, who);
    case 'call':
      return describeCall(item.question, who);
    case 'result':
      return {
        title: `${who} answered the call of ${quoted(item.question.tool)}: may the model see it?`,
        lines: jsonLines(item.question.result),
      };
    case 'form':
      return describeForm(item.question, who);
    case 'url':
      return {
        title: `${who} asks you to open a page`,
        lines: [...textLines(item.question.message), ...urlLines(item.question.url, item.question.warnings)],
      };
    case 'sampling':
      return {
        title: `${who} asks for words of your model`,
        lines: samplingLines(item.question.request, item.question.model),
      };
    case 'sampled':
      return {
        title: `${who} is about to get these words of your model`,
        lines: sampledLines(item.question.result),
      };
    case 'roots':
      return {
        title: `${who} asks which folders it may know`,
        lines: item.question.roots.map(({ uri, name }) =>
          name === undefined ? cut(uri, 2000) : `${cut(uri, 2000)} (${cut(name, 200)})`,
        ),
      };
    case 'login':
      return {
        title: `${who} asks you to log in`,
        lines: [
          ...urlLines(item.question.url, item.question.warnings),
          ...(item.question.scopes.length === 0
            ? []
            : [`It asks for: ${item.question.scopes.map((scope) => cut(scope, 200)).join(', ')}`]),
        ],
      };
    case 'input':
      return describeInput(item.question, who);
  }
}

function describeStart({ target, warnings, isChanged }: Questions['start']['question'], who: string): ItemDescription {
  return {
    title: `${who} ${isChanged ? 'has changed since you allowed it: start it' : 'is about to be started for the first time'}`,
    // The whole command, however long it is: what is cut could be the part that does harm.
    lines: [`Runs: ${visibleLine(target)}`, ...warnings.map((warning) => `Warning: ${cut(warning, 500)}`)],
  };
}

function describeCall(question: Questions['call']['question'], who: string): ItemDescription {
  const { tool, decision, changes } = question;
  const description = tool.description === undefined ? [] : [`It says of itself: ${cut(tool.description, 2000)}`];
  return {
    title: `${who} is about to run the tool ${quoted(tool.name)}`,
    lines: [
      ...description,
      'Arguments:',
      ...indented(jsonLines(question.arguments)),
      ...(changes.length === 0 ? [] : ['Its definition has changed since you allowed it:']),
      ...indented(changes.flatMap(changeLines)),
      ...decision.reasons.map(({ text }) => `- ${cut(text, 500)}`),
    ],
  };
}

function changeLines({ path, before, after }: DefinitionChange): string[] {
  return [
    cut(path === '' ? '(all of it)' : path, 500),
    ...(before === undefined ? [] : [`- ${shownValue(before)}`]),
    ...(after === undefined ? [] : [`+ ${shownValue(after)}`]),
  ];
}

function shownValue(value: Json): string {
  return cut(typeof value === 'string' ? value : JSON.stringify(value), 1000);
}

function describeForm({ message, requestedSchema }: Questions['form']['question'], who: string): ItemDescription {
  return {
    title: `${who} asks you for information`,
    lines: [
      ...textLines(message),
      ...formLines(requestedSchema),
      'You can decline (the server is told that you said no) or cancel. Do not give passwords or other secrets.',
    ],
  };
}

function formLines(schema: JsonObject): string[] {
  try {
    return readForm(schema).map(fieldLine);
  } catch {
    const names = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
    return [`The form cannot be shown; its fields: ${names.map((name) => cut(name, 200)).join(', ')}`];
  }
}

function fieldLine(field: FormField): string {
  const name = field.label === field.name ? cut(field.name, 200) : `${cut(field.label, 200)} (${cut(field.name, 200)})`;
  const options = 'options' in field ? field.options.map(({ value }) => cut(value, 100)).join(' | ') : undefined;
  const facts = [
    field.required ? 'required' : 'optional',
    options ?? field.kind,
    ...(field.default === undefined ? [] : [`default ${shownValue(field.default)}`]),
  ];
  const about = field.description === undefined ? '' : `: ${cut(field.description, 500)}`;
  return `  ${name} [${facts.join(', ')}]${about}`;
}

function describeInput(question: Questions['input']['question'], who: string): ItemDescription {
  const { title, description, isSecret, options } = question;
  return {
    title: `${who} needs a value: ${cut(title, 200)}`,
    lines: [
      ...(description === undefined ? [] : textLines(description)),
      ...(options ?? []).map(({ label, value }) => `  ${cut(value, 200)} (${cut(label, 200)})`),
      ...(isSecret ? ['The value is a secret: it is kept as one and never shown.'] : []),
      ...(question.default === undefined || isSecret ? [] : [`Default: ${shownValue(question.default)}`]),
    ],
  };
}

const WARNINGS: Readonly<Record<string, string>> = {
  punycode: 'the name of the host is written in letters that can imitate another one (punycode)',
  scheme: 'it is no web page, and is not opened',
  insecure: 'the connection is not encrypted (http)',
  credentials: 'a user name stands before the host, which may hide where it really leads',
  'ip-address': 'the host is a bare IP address',
  loopback: 'the page is on this machine',
  port: 'it uses an unusual port',
};

/** The sentences of the warnings of `describeUrl`, and of any others as they are. */
function urlLines(url: string, warnings: readonly string[]): string[] {
  const found = warningsOf(url);
  const all = [...new Set([...found, ...warnings])];
  return [
    `Host:    ${visibleLine(hostOf(url))}`,
    `Address: ${visibleLine(url)}`,
    ...all.map((warning) => `Warning: ${WARNINGS[warning] ?? cut(warning, 500)}`),
  ];
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '(no valid address)';
}

function warningsOf(url: string): readonly string[] {
  return URL.canParse(url) ? describeUrl(url).warnings : ['scheme'];
}

function textLines(text: string): string[] {
  const shown = text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length - 4000} more characters)` : text;
  return visibleText(shown).split('\n');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
