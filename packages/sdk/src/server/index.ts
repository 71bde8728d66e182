import { Server as NewServer, type ServerOptions as NewServerOptions } from 'crosspoint/server';
import type { Implementation } from 'crosspoint';
import type { Notification, Request, Result } from '../types.ts';

export type ServerOptions = NewServerOptions & {
  /** No effect: requests for which the client has declared no capability are always refused. */
  enforceStrictCapabilities?: boolean;
  /** No effect: answers to forms are checked by this library's own validator. */
  jsonSchemaValidator?: object;
};

/** The same class as in `crosspoint/server`. The type parameters describe what a program adds to the protocol; they have no effect. */
export type Server<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> = NewServer;

export const Server: new <
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
>(
  serverInfo: Implementation,
  options?: ServerOptions,
) => NewServer = NewServer;
