/** What of a login needs Node: a browser, a free port and a file. */
export { defaultCredentialsPath, FileCredentials } from './client/credentials/node.ts';
export { canOpenBrowser, createLogin, LoopbackAgent, openBrowser, type LoginOptions } from './client/login/node.ts';
