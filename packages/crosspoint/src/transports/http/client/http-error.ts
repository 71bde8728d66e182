import { TransportError, type TransportErrorCode } from '../../../protocol/errors.ts';

/** The HTTP response that failed a request. */
export interface SdkHttpErrorData {
  status: number;
  statusText?: string;
  [key: string]: unknown;
}

/** An HTTP response that holds no answer of the protocol. */
export class SdkHttpError extends TransportError {
  // oxlint-disable-next-line no-useless-constructor, max-params -- a status is part of it
  constructor(code: TransportErrorCode, message: string, data: SdkHttpErrorData, options?: ErrorOptions) {
    super(code, message, data, options);
  }

  get status(): number {
    return Number(this.details['status']);
  }
  get statusText(): string | undefined {
    return this.details['statusText'] as string | undefined;
  }
}
