import { Server as NewServer, type ServerOptions as NewServerOptions } from 'crosspoint/server';
import type { Implementation } from 'crosspoint';
import type { Notification, Request, Result } from '../types.ts';

export type ServerOptions = NewServerOptions & {
  /** Requests for which the client has declared no capability are always refused on this side. */
  enforceStrictCapabilities?: boolean;
  /** Not used: answers to forms are held against them by this library's own validator. */
  jsonSchemaValidator?: object;
};

/** The same class as that of `crosspoint/server`. The parameters say what a program adds to the protocol; nothing depends on them. */
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
