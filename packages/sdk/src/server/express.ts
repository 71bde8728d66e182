import express, { type Express } from 'express';
import { hostHeaderValidation, localhostHostValidation } from './middleware/hostHeaderValidation.ts';

export interface CreateMcpExpressAppOptions {
  /**
   * Address that the application will listen on; 127.0.0.1 when absent. With a loopback name, only requests to such a name are accepted.
   */
  host?: string;
  /** Host names of the server, without a port. */
  allowedHosts?: string[];
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '::1'];
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** An Express application that parses JSON and is protected against DNS rebinding. */
export function createMcpExpressApp({ host = '127.0.0.1', allowedHosts }: CreateMcpExpressAppOptions = {}): Express {
  const app = express();
  app.use(express.json());
  if (allowedHosts) app.use(hostHeaderValidation(allowedHosts));
  else if (LOOPBACK.includes(host)) app.use(localhostHostValidation());
  else if (EVERYWHERE.includes(host))
    console.warn(
      `Warning: Server is binding to ${host} without DNS rebinding protection. ` +
        'Consider using the allowedHosts option to restrict allowed hosts, or use authentication to protect your server.',
    );
  return app;
}
