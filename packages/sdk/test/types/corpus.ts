/** Valid examples for every schema of `types.js`: each with all of its members, and small ones beside where members may be absent. */

const meta = { progressToken: 'p1', 'io.modelcontextprotocol/related-task': { taskId: 't1' }, 'com.example/note': 1 };
const annotations = { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2025-01-12T15:00:58Z' };
const icon = { src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' };
const implementation = {
  name: 'example',
  title: 'Example',
  version: '1.0.0',
  websiteUrl: 'https://example.com',
  description: 'An example.',
  icons: [icon],
};

const text = { type: 'text', text: 'hello', annotations, _meta: { a: 1 } };
const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', annotations, _meta: {} };
const audio = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav', annotations, _meta: {} };
const textContents = { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'hello', _meta: { a: 1 } };
const blobContents = { uri: 'file:///a.bin', mimeType: 'application/octet-stream', blob: 'aGVsbG8=', _meta: {} };
const resource = {
  uri: 'file:///a.txt',
  name: 'a',
  title: 'A',
  description: 'The file a.',
  mimeType: 'text/plain',
  size: 5,
  annotations,
  icons: [icon],
  _meta: { a: 1 },
};
const link = { type: 'resource_link', ...resource };
const embedded = { type: 'resource', resource: textContents, annotations, _meta: {} };
const embeddedBlob = { type: 'resource', resource: blobContents };
const template = {
  uriTemplate: 'file:///{name}',
  name: 'files',
  title: 'Files',
  description: 'All files.',
  mimeType: 'text/plain',
  annotations,
  icons: [icon],
  _meta: {},
};

const tool = {
  name: 'add',
  title: 'Add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  annotations: {
    title: 'Add',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  execution: { taskSupport: 'optional' },
  icons: [icon],
  _meta: { a: 1 },
};
const smallTool = { name: 'noop', inputSchema: { type: 'object' } };
const callResult = { content: [text, link, embedded], structuredContent: { sum: 3 }, isError: false, _meta: meta };

const prompt = {
  name: 'greet',
  title: 'Greet',
  description: 'Greets.',
  arguments: [{ name: 'who', description: 'Whom.', required: true }],
  icons: [icon],
  _meta: {},
};
const promptMessage = { role: 'user', content: text };

const task = {
  taskId: 't1',
  status: 'working',
  statusMessage: 'Half way.',
  createdAt: '2025-11-25T10:30:00Z',
  lastUpdatedAt: '2025-11-25T10:40:00Z',
  ttl: 60000,
  pollInterval: 5000,
};
const endlessTask = { ...task, status: 'completed', ttl: null };

const toolUse = { type: 'tool_use', id: 'u1', name: 'add', input: { a: 1 }, _meta: {} };
const toolResult = {
  type: 'tool_result',
  toolUseId: 'u1',
  content: [text],
  structuredContent: { sum: 3 },
  isError: false,
  _meta: {},
};
const preferences = {
  hints: [{ name: 'small' }],
  costPriority: 0.1,
  speedPriority: 0.2,
  intelligencePriority: 1,
};
const sampling = {
  messages: [
    { role: 'user', content: text },
    { role: 'assistant', content: [toolUse], _meta: {} },
    { role: 'user', content: [toolResult] },
  ],
  modelPreferences: preferences,
  systemPrompt: 'Be brief.',
  includeContext: 'none',
  temperature: 0.1,
  maxTokens: 100,
  stopSequences: ['.'],
  metadata: { a: 1 },
  tools: [smallTool],
  toolChoice: { mode: 'auto' },
  task: { ttl: 1000 },
  _meta: meta,
};
const samplingResult = { model: 'm1', stopReason: 'endTurn', role: 'assistant', content: text, _meta: meta };

const titled = [
  { const: 'r', title: 'Red' },
  { const: 'b', title: 'Blue' },
];
const named = { title: 'Colour', description: 'Which colour.' };
const fields = {
  boolean: { type: 'boolean', ...named, default: true },
  string: { type: 'string', ...named, minLength: 1, maxLength: 9, format: 'email', default: 'a@b.c' },
  number: { type: 'integer', ...named, minimum: 1, maximum: 9, default: 3 },
  untitled: { type: 'string', ...named, enum: ['r', 'b'], default: 'r' },
  titled: { type: 'string', ...named, oneOf: titled, default: 'r' },
  legacy: { type: 'string', ...named, enum: ['r', 'b'], enumNames: ['Red', 'Blue'], default: 'r' },
  untitledMany: {
    type: 'array',
    ...named,
    minItems: 1,
    maxItems: 2,
    items: { type: 'string', enum: ['r', 'b'] },
    default: ['r'],
  },
  titledMany: { type: 'array', ...named, minItems: 1, maxItems: 2, items: { anyOf: titled }, default: ['r'] },
};
const form = {
  mode: 'form',
  message: 'Which?',
  requestedSchema: { type: 'object', properties: fields, required: ['boolean'] },
  task: { ttl: 1000 },
  _meta: meta,
};
const url = { mode: 'url', message: 'Open it.', elicitationId: 'e1', url: 'https://example.com/x', _meta: meta };
const elicitResult = { action: 'accept', content: { a: 'x', b: 1, c: true, d: ['y'] }, _meta: meta };

const clientCapabilities = {
  experimental: { x: {} },
  sampling: { context: {}, tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
  roots: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  extensions: { 'com.example/x': { a: 1 } },
};
const serverCapabilities = {
  experimental: { x: {} },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { 'com.example/x': {} },
};
const initialize = {
  protocolVersion: 'any',
  capabilities: clientCapabilities,
  clientInfo: implementation,
  _meta: meta,
};
const initializeResult = {
  protocolVersion: 'any',
  capabilities: serverCapabilities,
  serverInfo: implementation,
  instructions: 'Use it.',
  _meta: meta,
};

const completeParams = {
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: { name: 'who', value: 'W' },
  context: { arguments: { lang: 'en' } },
  _meta: meta,
};
const completeResult = { completion: { values: ['World'], total: 1, hasMore: false }, _meta: meta };
const root = { uri: 'file:///home', name: 'home', _meta: {} };

const page = { cursor: 'c1', _meta: meta };
const bare = { _meta: meta };
const uriParams = { uri: 'file:///a.txt', _meta: meta };
const taskParams = { taskId: 't1', _meta: meta };
const callParams = { name: 'add', arguments: { a: 1 }, task: { ttl: 1000 }, _meta: meta };
const progress = { progress: 1, total: 2, message: 'Half way.' };
const cancelled = { requestId: 1, reason: 'No longer needed.', _meta: meta };
const logged = { level: 'info', logger: 'db', data: { a: 1 }, _meta: meta };

const listTools = { tools: [tool, smallTool], nextCursor: 'c2', _meta: meta };
const listPrompts = { prompts: [prompt, { name: 'p' }], nextCursor: 'c2', _meta: meta };
const listResources = { resources: [resource, { uri: 'x:y', name: 'y' }], nextCursor: 'c2', _meta: meta };
const listTemplates = { resourceTemplates: [template], nextCursor: 'c2', _meta: meta };
const readResult = { contents: [textContents, blobContents], _meta: meta };
const promptResult = { description: 'Greets.', messages: [promptMessage], _meta: meta };
const listTasks = { tasks: [task, endlessTask], nextCursor: 'c2', _meta: meta };

const requests = {
  ping: { method: 'ping', params: bare },
  initialize: { method: 'initialize', params: initialize },
  complete: { method: 'completion/complete', params: completeParams },
  setLevel: { method: 'logging/setLevel', params: { level: 'warning', _meta: meta } },
  getPrompt: { method: 'prompts/get', params: { name: 'greet', arguments: { who: 'W' }, _meta: meta } },
  listPrompts: { method: 'prompts/list', params: page },
  listResources: { method: 'resources/list', params: page },
  listTemplates: { method: 'resources/templates/list', params: page },
  read: { method: 'resources/read', params: uriParams },
  subscribe: { method: 'resources/subscribe', params: uriParams },
  unsubscribe: { method: 'resources/unsubscribe', params: uriParams },
  call: { method: 'tools/call', params: callParams },
  listTools: { method: 'tools/list', params: page },
  getTask: { method: 'tasks/get', params: taskParams },
  taskResult: { method: 'tasks/result', params: taskParams },
  listTasks: { method: 'tasks/list', params: page },
  cancelTask: { method: 'tasks/cancel', params: taskParams },
  sample: { method: 'sampling/createMessage', params: sampling },
  form: { method: 'elicitation/create', params: form },
  url: { method: 'elicitation/create', params: url },
  listRoots: { method: 'roots/list', params: bare },
};
const notifications = {
  initialized: { method: 'notifications/initialized', params: bare },
  cancelled: { method: 'notifications/cancelled', params: cancelled },
  progress: { method: 'notifications/progress', params: { ...progress, progressToken: 'p1', _meta: meta } },
  logged: { method: 'notifications/message', params: logged },
  updated: { method: 'notifications/resources/updated', params: uriParams },
  resources: { method: 'notifications/resources/list_changed', params: bare },
  tools: { method: 'notifications/tools/list_changed', params: bare },
  prompts: { method: 'notifications/prompts/list_changed', params: bare },
  roots: { method: 'notifications/roots/list_changed', params: bare },
  task: { method: 'notifications/tasks/status', params: { ...task, _meta: meta } },
  complete: { method: 'notifications/elicitation/complete', params: { elicitationId: 'e1', _meta: meta } },
};

const rpcRequest = { jsonrpc: '2.0', id: 1, method: 'a/b', params: { a: 1, _meta: meta } };
const rpcNotification = { jsonrpc: '2.0', method: 'a/b', params: { a: 1, _meta: meta } };
const rpcResult = { jsonrpc: '2.0', id: 'x', result: { a: 1, _meta: meta } };
const rpcError = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: { a: 1 } } };

export const CORPUS: Readonly<Record<string, readonly unknown[]>> = {
  ProgressTokenSchema: ['p', 1],
  CursorSchema: ['c'],
  RequestIdSchema: ['i', 1],
  TaskCreationParamsSchema: [{ ttl: 1, pollInterval: 2, other: 3 }, {}],
  TaskMetadataSchema: [{ ttl: 1 }, {}],
  RelatedTaskMetadataSchema: [{ taskId: 't1' }],
  TaskAugmentedRequestParamsSchema: [{ task: { ttl: 1 }, _meta: meta }, {}],
  RequestSchema: [{ method: 'a/b', params: { a: 1, _meta: meta } }, { method: 'a/b' }],
  NotificationSchema: [{ method: 'a/b', params: { a: 1, _meta: meta } }, { method: 'a/b' }],
  ResultSchema: [{ a: 1, _meta: meta }, {}],
  EmptyResultSchema: [{ _meta: meta }, {}],
  PaginatedRequestParamsSchema: [page, {}],
  PaginatedRequestSchema: [{ method: 'a/list', params: page }, { method: 'a/list' }],
  PaginatedResultSchema: [{ nextCursor: 'c', other: 1, _meta: meta }, {}],
  JSONRPCRequestSchema: [rpcRequest, { jsonrpc: '2.0', id: 'x', method: 'ping' }],
  JSONRPCNotificationSchema: [rpcNotification, { jsonrpc: '2.0', method: 'a/b' }],
  JSONRPCResultResponseSchema: [rpcResult, { jsonrpc: '2.0', id: 1, result: {} }],
  JSONRPCErrorResponseSchema: [rpcError, { jsonrpc: '2.0', error: { code: 1, message: '' } }],
  JSONRPCErrorSchema: [rpcError],
  JSONRPCResponseSchema: [rpcResult, rpcError],
  JSONRPCMessageSchema: [rpcRequest, rpcNotification, rpcResult, rpcError],
  IconSchema: [icon, { src: 'data:,' }],
  IconsSchema: [{ icons: [icon] }, {}],
  BaseMetadataSchema: [{ name: 'n', title: 't' }, { name: 'n' }],
  ImplementationSchema: [implementation, { name: 'n', version: '1' }],
  ClientTasksCapabilitySchema: [clientCapabilities.tasks, {}],
  ServerTasksCapabilitySchema: [serverCapabilities.tasks, {}],
  ClientCapabilitiesSchema: [clientCapabilities, {}, { elicitation: {} }, { elicitation: { url: {}, more: 1 } }],
  ServerCapabilitiesSchema: [serverCapabilities, {}],
  InitializeRequestParamsSchema: [initialize],
  InitializeRequestSchema: [requests.initialize],
  InitializeResultSchema: [initializeResult],
  InitializedNotificationSchema: [notifications.initialized, { method: 'notifications/initialized' }],
  PingRequestSchema: [requests.ping, { method: 'ping' }],
  CancelledNotificationParamsSchema: [cancelled, {}],
  CancelledNotificationSchema: [notifications.cancelled],
  ProgressSchema: [progress, { progress: 0.5 }],
  ProgressNotificationParamsSchema: [notifications.progress.params],
  ProgressNotificationSchema: [notifications.progress],
  RoleSchema: ['user', 'assistant'],
  AnnotationsSchema: [annotations, {}],
  ResourceContentsSchema: [textContents, { uri: 'x:y' }],
  TextResourceContentsSchema: [textContents],
  BlobResourceContentsSchema: [blobContents],
  ResourceSchema: [resource, { uri: 'x:y', name: 'y' }],
  ResourceTemplateSchema: [template, { uriTemplate: 'x:{y}', name: 'y' }],
  TextContentSchema: [text, { type: 'text', text: '' }],
  ImageContentSchema: [image],
  AudioContentSchema: [audio],
  EmbeddedResourceSchema: [embedded, embeddedBlob],
  ResourceLinkSchema: [link],
  ContentBlockSchema: [text, image, audio, link, embedded, embeddedBlob],
  ListResourcesRequestSchema: [requests.listResources],
  ListResourcesResultSchema: [listResources],
  ListResourceTemplatesRequestSchema: [requests.listTemplates],
  ListResourceTemplatesResultSchema: [listTemplates],
  ResourceRequestParamsSchema: [uriParams],
  ReadResourceRequestParamsSchema: [uriParams],
  ReadResourceRequestSchema: [requests.read],
  ReadResourceResultSchema: [readResult, { contents: [] }],
  SubscribeRequestParamsSchema: [uriParams],
  SubscribeRequestSchema: [requests.subscribe],
  UnsubscribeRequestParamsSchema: [uriParams],
  UnsubscribeRequestSchema: [requests.unsubscribe],
  ResourceListChangedNotificationSchema: [notifications.resources],
  ResourceUpdatedNotificationParamsSchema: [uriParams],
  ResourceUpdatedNotificationSchema: [notifications.updated],
  PromptArgumentSchema: [prompt.arguments[0], { name: 'a' }],
  PromptSchema: [prompt, { name: 'p' }],
  PromptMessageSchema: [promptMessage],
  ListPromptsRequestSchema: [requests.listPrompts],
  ListPromptsResultSchema: [listPrompts],
  GetPromptRequestParamsSchema: [requests.getPrompt.params],
  GetPromptRequestSchema: [requests.getPrompt],
  GetPromptResultSchema: [promptResult],
  PromptListChangedNotificationSchema: [notifications.prompts],
  ToolAnnotationsSchema: [tool.annotations, {}],
  ToolExecutionSchema: [tool.execution, {}],
  ToolSchema: [tool, smallTool],
  ListToolsRequestSchema: [requests.listTools],
  ListToolsResultSchema: [listTools],
  CallToolRequestParamsSchema: [callParams, { name: 'noop' }],
  CallToolRequestSchema: [requests.call],
  CallToolResultSchema: [callResult, { content: [] }, { structuredContent: {} }],
  CompatibilityCallToolResultSchema: [callResult, { toolResult: 1 }],
  ToolListChangedNotificationSchema: [notifications.tools],
  ListChangedOptionsBaseSchema: [{ autoRefresh: false, debounceMs: 0 }, {}],
  LoggingLevelSchema: ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
  SetLevelRequestParamsSchema: [requests.setLevel.params],
  SetLevelRequestSchema: [requests.setLevel],
  LoggingMessageNotificationParamsSchema: [logged],
  LoggingMessageNotificationSchema: [notifications.logged],
  ModelHintSchema: [{ name: 'small' }, {}],
  ModelPreferencesSchema: [preferences, {}],
  ToolChoiceSchema: [{ mode: 'required' }, {}],
  ToolUseContentSchema: [toolUse],
  ToolResultContentSchema: [toolResult, { type: 'tool_result', toolUseId: 'u' }],
  SamplingContentSchema: [text, image, audio],
  SamplingMessageContentBlockSchema: [text, image, audio, toolUse, toolResult],
  SamplingMessageSchema: sampling.messages,
  CreateMessageRequestParamsSchema: [sampling, { messages: [], maxTokens: 1 }],
  CreateMessageRequestSchema: [requests.sample],
  CreateMessageResultSchema: [samplingResult],
  CreateMessageResultWithToolsSchema: [samplingResult, { ...samplingResult, content: [toolUse] }],
  BooleanSchemaSchema: [fields.boolean],
  StringSchemaSchema: [fields.string],
  NumberSchemaSchema: [fields.number],
  UntitledSingleSelectEnumSchemaSchema: [fields.untitled],
  TitledSingleSelectEnumSchemaSchema: [fields.titled],
  LegacyTitledEnumSchemaSchema: [fields.legacy],
  UntitledMultiSelectEnumSchemaSchema: [fields.untitledMany],
  TitledMultiSelectEnumSchemaSchema: [fields.titledMany],
  SingleSelectEnumSchemaSchema: [fields.untitled, fields.titled],
  MultiSelectEnumSchemaSchema: [fields.untitledMany, fields.titledMany],
  EnumSchemaSchema: [fields.untitled, fields.titled, fields.legacy, fields.untitledMany, fields.titledMany],
  PrimitiveSchemaDefinitionSchema: Object.values(fields),
  ElicitRequestFormParamsSchema: [form],
  ElicitRequestURLParamsSchema: [url],
  ElicitRequestParamsSchema: [form, url],
  ElicitRequestSchema: [requests.form, requests.url],
  ElicitationCompleteNotificationParamsSchema: [notifications.complete.params],
  ElicitationCompleteNotificationSchema: [notifications.complete],
  ElicitResultSchema: [elicitResult, { action: 'decline' }, { action: 'cancel', content: null }],
  ResourceTemplateReferenceSchema: [{ type: 'ref/resource', uri: 'x:{y}' }],
  ResourceReferenceSchema: [{ type: 'ref/resource', uri: 'x:{y}' }],
  PromptReferenceSchema: [{ type: 'ref/prompt', name: 'greet' }],
  CompleteRequestParamsSchema: [completeParams, { ...completeParams, ref: { type: 'ref/resource', uri: 'x:{y}' } }],
  CompleteRequestSchema: [requests.complete],
  CompleteResultSchema: [completeResult, { completion: { values: [] } }],
  RootSchema: [root, { uri: 'file:///' }],
  ListRootsRequestSchema: [requests.listRoots],
  ListRootsResultSchema: [{ roots: [root], _meta: meta }],
  RootsListChangedNotificationSchema: [notifications.roots],
  TaskStatusSchema: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  TaskSchema: [task, endlessTask],
  CreateTaskResultSchema: [{ task, _meta: meta }],
  TaskStatusNotificationParamsSchema: [notifications.task.params],
  TaskStatusNotificationSchema: [notifications.task],
  GetTaskRequestSchema: [requests.getTask],
  GetTaskResultSchema: [{ ...task, _meta: meta }],
  GetTaskPayloadRequestSchema: [requests.taskResult],
  GetTaskPayloadResultSchema: [callResult],
  ListTasksRequestSchema: [requests.listTasks],
  ListTasksResultSchema: [listTasks],
  CancelTaskRequestSchema: [requests.cancelTask],
  CancelTaskResultSchema: [{ ...task, _meta: meta }],
  ClientRequestSchema: Object.values(requests).slice(0, 17),
  ServerRequestSchema: [
    requests.ping,
    requests.sample,
    requests.form,
    requests.url,
    requests.listRoots,
    requests.getTask,
    requests.taskResult,
    requests.listTasks,
    requests.cancelTask,
  ],
  ClientNotificationSchema: [
    notifications.cancelled,
    notifications.progress,
    notifications.initialized,
    notifications.roots,
    notifications.task,
  ],
  ServerNotificationSchema: [
    notifications.cancelled,
    notifications.progress,
    notifications.logged,
    notifications.updated,
    notifications.resources,
    notifications.tools,
    notifications.prompts,
    notifications.task,
    notifications.complete,
  ],
  ClientResultSchema: [
    { _meta: meta },
    samplingResult,
    elicitResult,
    { roots: [root] },
    { ...task },
    listTasks,
    { task },
  ],
  ServerResultSchema: [
    { _meta: meta },
    initializeResult,
    completeResult,
    promptResult,
    listPrompts,
    listResources,
    listTemplates,
    readResult,
    callResult,
    listTools,
    { ...task },
    listTasks,
    { task },
  ],
};
