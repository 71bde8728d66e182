import { text } from 'crosspoint/server';

/** Tools that make the server announce a changed list. */
export function registerChangeTools(server) {
  server.registerTool('test_trigger_tool_change', { description: 'Announces a change of the tools.' }, () => {
    server.sendToolListChanged();
    return text('The tools have changed.');
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Announces a change of the prompts.' }, () => {
    server.sendPromptListChanged();
    return text('The prompts have changed.');
  });
}
