import type { CatalogueTool } from './catalogue/catalogue.ts';
import type { Reason } from './consent/decision.ts';
import type { HostServer } from './servers/host-server.ts';
import { describeState } from './servers/server-state.ts';

/** Where a tool comes from, why it has its name, and who sees it, for those who ask why a call is decided on as it is. */
export function toolFacts({ name, server, tool, isForModel, isStale }: CatalogueTool, owner: HostServer): Reason[] {
  const { entry, state } = owner;
  const { format, scope, file } = entry.origin;
  const source = file === undefined ? 'the program' : `${file} (${format}, ${scope})`;
  const facts: Reason[] = [
    { step: 'server', text: `The server "${server}" comes from ${source}; it ${describeState(state)}` },
  ];
  const plain = `${server}__${tool.name}`;
  const renamed =
    name === plain ? 'the names of server and tool' : `cut or cleaned, because APIs refuse ${JSON.stringify(plain)}`;
  facts.push({ step: 'name', text: `Its name ${name} is ${renamed}.` });
  if (!isForModel)
    facts.push({ step: 'visibility', text: 'The server offers it to its app alone, so the model does not see it.' });
  if (isStale)
    facts.push({ step: 'visibility', text: 'The server is not connected: this is the definition it listed last.' });
  return facts;
}
