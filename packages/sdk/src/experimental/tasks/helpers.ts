/** `experimental/tasks/helpers.js` of the older SDK: whether the other side makes tasks of a method. */

interface TaskRequests {
  tools?: { call?: object | undefined } | undefined;
  sampling?: { createMessage?: object | undefined } | undefined;
  elicitation?: { create?: object | undefined } | undefined;
}

type Side = 'Server' | 'Client';

function refuseUnless(isDeclared: boolean, method: string, entityName: Side): void {
  if (!isDeclared)
    throw new Error(`The ${entityName.toLowerCase()} has not declared that it makes tasks of ${method}.`);
}

/** Throws when the side has declared no tasks, or none of `tools/call` where that is asked for. */
export function assertToolsCallTaskCapability(
  requests: TaskRequests | undefined,
  method: string,
  entityName: Side,
): void {
  const isDeclared = method !== 'tools/call' || requests?.tools?.call !== undefined;
  refuseUnless(requests !== undefined && isDeclared, method, entityName);
}

/** Throws when the side has declared no tasks, or none of the question that is asked for. */
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
  refuseUnless(requests !== undefined && isDeclared, method, entityName);
}
