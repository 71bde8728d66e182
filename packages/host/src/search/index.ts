export type { FoundTool } from './fair-choice.ts';
export { ToolSearch, type SearchedHost, type SearchOptions } from './tool-search.ts';
