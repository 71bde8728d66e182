export type { AuditEntry, AuditEvent, AuditWriter } from './audit/event.ts';
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
  StdioReach,
  TransportReach,
} from './config/server-entry.ts';
export type { CallSubject, Decision, Effect, Reason } from './consent/decision.ts';
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
export { digestOf } from './values/digest.ts';
export { canonicalJson, type Json, type JsonObject } from './values/json.ts';
export { visibleLine, visibleText } from './values/visible-text.ts';
