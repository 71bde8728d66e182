/**
 * The callbacks that programs hand to the host, and what each is tried with. A name in a list is that of a driver, which has the callback go wrong
 * because of something that a server sends, a view sends or a user does. Text says why there is none.
 */
import type { Entry } from '../../../crosspoint/test/guard/table.ts';

const GIVEN = 'The library makes it, and programs call it.';
const INSIDE = 'Part of a declaration that programs can name, and between parts of the library alone.';
const AWAITED = 'Called while the program waits for a call that it made itself: the failure is that of the call.';
const OWN_STACK = 'Called in the stack of the program that hands it over.';
const CLOCK = 'A source of time, for tests: it has nothing to do with a server.';
const AS_WRITTEN = 'Of another library: the one that reaches the keychain.';

const each = (prefix: string, members: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(members.map((member) => [member, [`${prefix}${member}`]]));

export const TABLE: Readonly<Record<string, Entry>> = {
  // ---- the host
  Host: {
    'span(work)': AWAITED,
    'tokens(count)': OWN_STACK,
    'watch(listener)': ['watch'],
    'watchResource(onchange)': ['watchResource'],
  },
  HostOptions: each('', ['onproblem', 'openUrl', 'responders', 'roots']),
  CallOptions: { beforeSend: AWAITED, onprogress: ['onprogress'] },
  TaskOptions: {
    onstarted: AWAITED,
    onstatus: 'The client calls it, as that of its own tasks, and tells what goes wrong.',
  },
  HostRoots: { all: GIVEN, readable: GIVEN, set: GIVEN },
  TransportReach: { open: ['transport'] },
  ServerTemplate: { fill: ['fill'] },
  HostServers: INSIDE,
  ServerPort: INSIDE,
  tokenReport: { '(count)': OWN_STACK },
  separateSecrets: { '(referTo)': OWN_STACK },

  // ---- catalogue
  Catalogue: { 'watch(listener)': ['catalogue.watch'], 'constructor(options.onproblem)': ['catalogue.onproblem'] },
  AiSdkOptions: { call: AWAITED, jsonSchema: OWN_STACK },
  AiSdkTool: GIVEN,
  ToolViewOptions: { count: AWAITED },

  // ---- questions
  Inbox: { 'watch(listener)': ['inbox.watch'] },
  InboxOptions: { onproblem: ['onproblem'], responders: ['responders'] },
  Waiting: INSIDE,
  Asks: { ask: ['asks'] },
  QuestionsOptions: {
    onpage: ['onpage'],
    onproblem: ['questions.onproblem'],
    openUrl: ['openUrl'],
    roots: ['roots'],
  },
  SamplingOptions: { admit: ['admit'], includeContext: ['includeContext'], model: ['model'] },
  SamplingAbout: GIVEN,
  AnsweredQuestions: GIVEN,
  CallsInFlight: { 'during(work)': AWAITED },
  FollowedCall: GIVEN,
  WatchedRoots: {
    'constructor(options.onchange)': ['watchedRoots.onchange'],
    'constructor(options.onproblem)': ['watchedRoots.onproblem'],
  },

  // ---- models
  ModelProvider: { complete: ['provider.complete', 'agent.complete'], models: ['provider.models', 'agent.models'] },
  CompleteOptions: { onevent: AWAITED },
  AnthropicOptions: { apiKey: ['provider.apiKey'] },
  OpenAiOptions: { apiKey: ['provider.apiKey'] },
  ModelSampling: GIVEN,
  ModelSamplingOptions: { now: CLOCK },
  SamplingRule: { systemPrompt: ['systemPrompt'] },

  // ---- the agent
  AgentOptions: { view: ['agent.view'] },
  AgentView: { answer: ['agent.view.answer'], answers: ['agent.view.answers'], tools: ['agent.view.tools'] },
  AgentHost: INSIDE,
  AgentPart: INSIDE,
  AgentPort: INSIDE,
  AgentSpan: INSIDE,
  OpenAgent: INSIDE,
  Run: GIVEN,

  // ---- what is kept
  AuditLogOptions: { knownSecrets: ['audit.knownSecrets'], now: CLOCK, onproblem: ['audit.onproblem'] },
  AuditWriter: { write: ['audit.write', 'view.audit'] },
  ApprovalsOptions: { now: CLOCK },
  TrustBookOptions: { now: CLOCK },

  // ---- the timeline
  Timeline: {
    'call(carryOut)': INSIDE,
    'fetchOf(send)': INSIDE,
    'follow(knownSecrets)': INSIDE,
    'span(work)': AWAITED,
    'watch(listener)': ['timeline.watch'],
  },
  TimelineOptions: { onproblem: ['timeline.onproblem'] },
  Tracing: INSIDE,
  OpenSpan: GIVEN,
  inSpan: { '(work)': AWAITED },

  // ---- configuration and secrets
  FileFormat: GIVEN,
  ReadConfigurationOptions: { readFile: AWAITED },
  TrustReader: AWAITED,
  ValueSources: { input: AWAITED, readFile: AWAITED, secret: ['secret'] },
  SecretStore: { get: ['secret'], delete: AWAITED, describe: AWAITED, names: AWAITED, set: AWAITED },
  KeySource: AWAITED,
  OpenSecretsOptions: AWAITED,
  KeyringEntry: AS_WRITTEN,
  KeyringModule: AS_WRITTEN,

  // ---- apps
  sandboxProxy: OWN_STACK,
  ViewedHost: GIVEN,
  ViewOfHostOptions: { openUrl: ['view.openUrl'], send: ['view.send'] },
  openWithConsent: { '(options.openUrl)': ['view.openUrl'] },
  ViewBridgeOptions: each('view.', [
    'callTool',
    'changeDisplayMode',
    'message',
    'onlog',
    'onproblem',
    'onsize',
    'onteardownrequest',
    'open',
    'readResource',
    'send',
    'tools',
    'updateModelContext',
  ]),
};
