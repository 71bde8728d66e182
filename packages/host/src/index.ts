export { AuditLog, type AuditLogOptions, type ReadFilter } from './audit/audit-log.ts';
export type { AuditProblem, AuditReport, VerifyOptions } from './audit/checker.ts';
export type { AuditAnchor } from './audit/entry.ts';
export type { AuditEntry, AuditEvent, AuditWriter } from './audit/event.ts';
export type { AuditSecret } from './audit/seal.ts';
export { verifyExport, type VerifyExportOptions } from './audit/verify.ts';
export type { TaskOptions } from './calls/as-task.ts';
export { CallDeniedError, ResultWithheldError, UnknownToolError } from './calls/call-errors.ts';
export { similarNames } from './calls/similar-names.ts';
export type { RunningCall } from './calls/running-calls.ts';
export type { CallOptions } from './calls/tool-caller.ts';
export {
  Catalogue,
  type CatalogueProblem,
  type CataloguePrompt,
  type CatalogueResource,
  type CatalogueTemplate,
  type CatalogueTool,
} from './catalogue/catalogue.ts';
export {
  toAiSdkTools,
  toAnthropicTools,
  toOpenAiChatTools,
  toOpenAiTools,
  type AiSdkOptions,
  type AiSdkTool,
  type AnthropicTool,
  type ExportChange,
  type ExportedTools,
  type OpenAiChatTool,
  type OpenAiTool,
} from './catalogue/exports/tool-formats.ts';
export { tokenReport, type TokenReport } from './catalogue/token-report.ts';
export { catalogueName, splitName } from './catalogue/names.ts';
export type { Listing, ListedTemplate } from './catalogue/listing.ts';
export type {
  ConfigFormat,
  ConfigScope,
  HttpReach,
  InputDefinition,
  OAuthSettings,
  Origin,
  Reach,
  ServerEntry,
  ServerTemplate,
  StdioReach,
  TransportReach,
} from './config/server-entry.ts';
export type { Approval, ApprovalSpan, ApprovalState } from './consent/approval.ts';
export { Approvals, type ApprovalsOptions, type ApproveOptions } from './consent/approvals.ts';
export { decide } from './consent/decide.ts';
export type { Action, CallSubject, Decision, Effect, OtherSubject, Reason, Subject } from './consent/decision.ts';
export { decisionEvent, type DecisionFacts } from './consent/decision-event.ts';
export { diffDefinitions } from './consent/definition.ts';
export { dryRun, type ChangedDecision, type DryRun } from './consent/dry-run.ts';
export { explain, explanationText, type ExplainOptions, type Explanation } from './consent/explain.ts';
export { parsePolicy } from './consent/parse-policy.ts';
export type { PinnedListing, ServerChanges } from './consent/pins.ts';
export type { AnnotationTest, PinMode, Policy, Rule, ValueTest } from './consent/policy.ts';
export { PolicyError, type PolicyProblem } from './consent/policy-error.ts';
export { CallsInFlight, type CallInFlight, type FollowedCall } from './context/calls-in-flight.ts';
export {
  answerQuestions,
  questionCapabilities,
  type AnsweredQuestions,
  type QuestionsOptions,
} from './context/questions.ts';
export type {
  ContextPolicy,
  SamplingAbout,
  SamplingAdmission,
  SamplingAsker,
  SamplingContext,
  SamplingModel,
  SamplingOptions,
  SamplingRequest,
} from './context/sampling.ts';
export { modelContent, type ModelContent, type PlacedContent } from './context/model-content.ts';
export type { PendingPage } from './context/pending-pages.ts';
export { PromptArgumentsError, promptCommands, type PromptCommand } from './context/prompt-commands.ts';
export { findResources, type ResourceFilter } from './context/resource-search.ts';
export type { ContextEntry, Exchange, ServerContext } from './context/server-context.ts';
export type { HostRoots } from './context/server-roots.ts';
export { WatchedRoots } from './context/watched-roots.ts';
export type { ContextOptions } from './context-reader.ts';
export { Host } from './host.ts';
export type { HostEvent } from './host-event.ts';
export type { HostOptions, ProgramServer } from './host-options.ts';
export { AnswerError } from './inbox/answer-check.ts';
export { describeItem, type ItemDescription } from './inbox/describe-item.ts';
export { refusal } from './inbox/careful-answer.ts';
export { Inbox, type InboxChange, type InboxFilter, type InboxOptions } from './inbox/inbox.ts';
export type { Responder } from './inbox/responders/responder.ts';
export {
  parseResponderRules,
  ResponderRulesError,
  type ResponderRule,
  type ResponderRules,
  type RuleMatch,
} from './inbox/responders/rules.ts';
export { ScriptedResponder, type ScriptedDecision } from './inbox/responders/scripted-responder.ts';
export type {
  AnswerTo,
  Asks,
  AskOptions,
  DefinitionChange,
  InboxItem,
  Provenance,
  QuestionKind,
  Questions,
} from './inbox/item.ts';
export type { HostServer } from './servers/host-server.ts';
export type { HostServers } from './servers/host-servers.ts';
export type { RetryOptions } from './servers/pacing.ts';
export { ServerUnavailableError, describeState, type ServerState } from './servers/server-state.ts';
export { inSpan, type OpenSpan, type SpanFacts } from './tracing/tracing.ts';
export { digestOf } from './values/digest.ts';
export { canonicalJson, type Json, type JsonObject } from './values/json.ts';
export { visibleLine, visibleText } from './values/visible-text.ts';
