import { editServers } from '../../configuration/servers-file.ts';
import type { CommandContext } from '../../context.ts';

/** Switches servers on or off; none of them where one does not exist. */
export async function switchServers(
  names: readonly string[],
  isDisabled: boolean,
  { home, output }: CommandContext,
): Promise<void> {
  const servers = [...new Set(names)];
  await editServers(home, (file) => {
    for (const name of servers) {
      const { isDisabled: _before, ...entry } = file.entry(name, home.configFile);
      file.set(isDisabled ? { ...entry, isDisabled } : entry);
    }
  });
  output.result(
    { servers, file: home.configFile, isDisabled },
    () => `${isDisabled ? 'Disabled' : 'Enabled'}: ${servers.join(', ')}`,
  );
}
