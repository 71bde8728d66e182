export type { AlwaysRule } from './always-rule.ts';
export type { FoundTool } from './fair-choice.ts';
export { SEARCH_TOOL } from './search-tool.ts';
export { ToolSearch, type SearchedHost, type SearchOptions } from './tool-search.ts';
export { ToolView, type ToolViewOptions, type ToolViewReport } from './tool-view.ts';
export type { ToolViewState } from './view-state.ts';
