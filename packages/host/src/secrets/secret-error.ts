/**
 * Why a secret could not be read or kept: `unavailable` (no keychain here), `no-key` (the key of the file was not given or is none), `wrong-key` (the file was
 * written with another), `damaged` (the file is not as it was written), `unsafe-file` (others can read or replace it), `locked` (another process keeps it),
 * `invalid-name`, `invalid-value`.
 */
export type SecretFault =
  | 'unavailable'
  | 'no-key'
  | 'wrong-key'
  | 'damaged'
  | 'unsafe-file'
  | 'locked'
  | 'invalid-name'
  | 'invalid-value';

/** A secret could not be read or kept. What was kept before is untouched, and the message holds no value. */
export class SecretError extends Error {
  override readonly name: string = 'SecretError';
  readonly fault: SecretFault;

  constructor(fault: SecretFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
