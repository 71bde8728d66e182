import type { McpServer } from 'crosspoint/server';

export function askingServer(): McpServer;
