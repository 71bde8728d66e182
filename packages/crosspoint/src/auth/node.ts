/** What of a login needs Node: a browser, a free port and a file. */
export { FileCredentials } from './client/credentials/file-credentials-node.ts';
export { createLogin, LoopbackAgent, type LoginOptions } from './client/login/browser-login-node.ts';
