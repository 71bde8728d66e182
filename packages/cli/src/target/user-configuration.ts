import { join } from 'node:path';
import { fileLocations, readConfiguration, type Configuration } from '@crosspoint/host/config';
import type { TargetPlace } from './find-target.ts';

/**
 * The servers that the user has configured: the managed file, the user's own, and those of the folder (`crosspoint.json`, `.mcp.json`), which need
 * the user's trust before one of them is started. Files of other programs are read by `servers import` alone.
 */
export function readUserConfiguration({
  home,
  cwd,
  env,
}: Pick<TargetPlace, 'home' | 'cwd' | 'env'>): Promise<Configuration> {
  const managed = fileLocations({ home: cwd, platform: process.platform, env }, ['crosspoint']).filter(
    ({ scope }) => scope === 'managed',
  );
  return readConfiguration({
    formats: [],
    folder: cwd,
    env,
    files: [
      ...managed,
      { file: home.configFile, format: 'crosspoint', scope: 'user' },
      { file: join(cwd, 'crosspoint.json'), format: 'crosspoint', scope: 'project' },
      { file: join(cwd, '.mcp.json'), format: 'claude-code', scope: 'project' },
    ],
  });
}
