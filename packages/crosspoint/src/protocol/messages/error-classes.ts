/** Error classes by kind, and error codes by name. An error that a server answers with is an instance of the class of its kind. */
import type { ClientCapabilities } from '../capabilities.ts';
import type { ElicitUrlParams } from '../elicitation/elicitation.ts';
import { ProtocolError, type FaultKind, type TransportErrorCode } from '../errors.ts';

/** Error codes by name. A revision may send another code for a kind: compare `kind` where it matters. */
export const ProtocolErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ResourceNotFound: -32002,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  UrlElicitationRequired: -32042,
} as const;
export type ProtocolErrorCode = (typeof ProtocolErrorCode)[keyof typeof ProtocolErrorCode];

/** Failures of this side by the names of the official SDK. The values are the codes of `TransportError`. */
export const SdkErrorCode = {
  NotConnected: 'closed',
  ConnectionClosed: 'closed',
  RequestTimeout: 'idle-timeout',
  SendFailed: 'write-failed',
  InvalidResult: 'invalid-result',
  EraNegotiationFailed: 'negotiation-failed',
  ClientHttpAuthentication: 'unauthorized',
  ClientHttpForbidden: 'http',
  ClientHttpNotImplemented: 'http',
  ClientHttpUnexpectedContent: 'http',
  ClientHttpFailedToOpenStream: 'http',
  ClientHttpFailedToTerminateSession: 'http',
} as const;
export type SdkErrorCode = TransportErrorCode;

const dataOf = (error: ProtocolError): Readonly<Record<string, unknown>> =>
  typeof error.data === 'object' && error.data !== null ? (error.data as Record<string, unknown>) : {};

const textIn = (error: ProtocolError, member: string): string => {
  const text = dataOf(error)[member];
  return typeof text === 'string' ? text : '';
};

export class ResourceNotFoundError extends ProtocolError {
  constructor(uri: string, message: string = `Resource not found: ${uri}`) {
    super('resource-not-found', message, { uri });
  }
  get uri(): string {
    return textIn(this, 'uri');
  }
}

export interface MissingRequiredClientCapabilityErrorData {
  requiredCapabilities: ClientCapabilities;
}

export class MissingRequiredClientCapabilityError extends ProtocolError {
  constructor(data: MissingRequiredClientCapabilityErrorData, message = 'The client lacks a capability.') {
    super('missing-capability', message, data);
  }
  get requiredCapabilities(): ClientCapabilities {
    return dataOf(this)['requiredCapabilities'] ?? {};
  }
}

export interface UnsupportedProtocolVersionErrorData {
  supported: string[];
  requested: string;
}

export class UnsupportedProtocolVersionError extends ProtocolError {
  constructor(data: UnsupportedProtocolVersionErrorData, message = 'Unsupported protocol version') {
    super('unsupported-version', message, data);
  }
  get supported(): string[] {
    const { supported } = dataOf(this);
    return Array.isArray(supported) ? supported.map(String) : [];
  }
  get requested(): string {
    return textIn(this, 'requested');
  }
}

/**
 * Thrown by a handler that cannot continue before the user has visited these pages. A handshake client receives it as an error and calls again
 * when they are done; a stateless client is asked to open them, and its call then runs again.
 */
export class UrlElicitationRequiredError extends ProtocolError {
  constructor(elicitations: readonly Omit<ElicitUrlParams, 'mode'>[], message = 'The user must open a page first.') {
    if (elicitations.length === 0) throw new TypeError('UrlElicitationRequiredError needs at least one elicitation.');
    const whole = elicitations.map((params): ElicitUrlParams => {
      if (typeof params.message !== 'string' || !URL.canParse(params.url))
        throw new TypeError('An elicitation by URL needs a message and a valid url.');
      return { mode: 'url', elicitationId: crypto.randomUUID(), ...params };
    });
    super('url-elicitation-required', message, { elicitations: whole });
  }

  get elicitations(): readonly ElicitUrlParams[] {
    const { elicitations } = dataOf(this);
    return Array.isArray(elicitations) ? elicitations : [];
  }
}

const CLASSES: Partial<Record<FaultKind, { readonly prototype: ProtocolError }>> = {
  'resource-not-found': ResourceNotFoundError,
  'missing-capability': MissingRequiredClientCapabilityError,
  'unsupported-version': UnsupportedProtocolVersionError,
  'url-elicitation-required': UrlElicitationRequiredError,
};

/** Gives an error that a server answered with the class of its kind. */
export function ofItsClass(error: ProtocolError): ProtocolError {
  const itsClass = CLASSES[error.kind];
  return itsClass === undefined ? error : (Object.setPrototypeOf(error, itsClass.prototype) as ProtocolError);
}
