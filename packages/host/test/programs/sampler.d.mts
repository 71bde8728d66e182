import type { McpServer } from 'crosspoint/server';

export declare function samplerServer(revisions?: readonly string[]): McpServer;
