/** `experimental/tasks/helpers.js` of v1: whether the other side supports tasks for a method. */

interface TaskRequests {
  tools?: { call?: object | undefined } | undefined;
  sampling?: { createMessage?: object | undefined } | undefined;
  elicitation?: { create?: object | undefined } | undefined;
}

type Side = 'Server' | 'Client';

function refuseUnless(requests: TaskRequests | undefined, isDeclared: boolean, method: string, side: Side): void {
  if (requests === undefined) throw new Error(`${side} does not support task creation (required for ${method})`);
  if (!isDeclared) throw new Error(`${side} does not support task creation for ${method} (required for ${method})`);
}

/** Throws when the other side has declared no tasks, or none for `tools/call`. */
export function assertToolsCallTaskCapability(
  requests: TaskRequests | undefined,
  method: string,
  entityName: Side,
): void {
  const isDeclared = method !== 'tools/call' || requests?.tools?.call !== undefined;
  refuseUnless(requests, isDeclared, method, entityName);
}

/** Throws when the other side has declared no tasks, or none for this question. */
export function assertClientRequestTaskCapability(
  requests: TaskRequests | undefined,
  method: string,
  entityName: Side,
): void {
  const declared: Readonly<Record<string, object | undefined>> = {
    'sampling/createMessage': requests?.sampling?.createMessage,
    'elicitation/create': requests?.elicitation?.create,
  };
  const isDeclared = !Object.hasOwn(declared, method) || declared[method] !== undefined;
  refuseUnless(requests, isDeclared, method, entityName);
}
