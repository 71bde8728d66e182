/** Why there is no value: the user was asked and did not give one (`cancelled`), or what was given does not fit (`invalid`). */
export type InputFault = 'cancelled' | 'invalid';

/** A value that a server needs was not given. The message holds no value. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
  readonly fault: InputFault;
  /** The id of the input. */
  readonly input: string;

  constructor(fault: InputFault, input: string, message: string) {
    super(message);
    this.fault = fault;
    this.input = input;
  }
}
