import { defineExtension, type Extension } from 'crosspoint';

export const SKILLS_EXTENSION_ID = 'io.modelcontextprotocol/skills';
export const SKILLS_LIST_METHOD = 'skills/list';
export const SKILLS_GET_METHOD = 'skills/get';
export const RESOURCES_DIRECTORY_READ_METHOD = 'resources/directory/read';

/** Skills (SEP-2640): directories of instructions for models, whose files are resources. Only the server declares this extension. */
export const skillsExtension: Extension = defineExtension({
  id: SKILLS_EXTENSION_ID,
  families: ['per-request', 'handshake'],
  declaredBy: 'server',
  methods: {
    [SKILLS_LIST_METHOD]: { sender: 'client', kind: 'request' },
    [SKILLS_GET_METHOD]: { sender: 'client', kind: 'request' },
    [RESOURCES_DIRECTORY_READ_METHOD]: { sender: 'client', kind: 'request' },
  },
});
