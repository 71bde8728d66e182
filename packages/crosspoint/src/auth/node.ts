/** The parts of a login that need Node: a browser, a free port and a file. */
export { FileCredentials } from './client/credentials/file-credentials-node.ts';
export { createLogin, LoopbackAgent, openBrowser, type LoginOptions } from './client/login/browser-login-node.ts';
