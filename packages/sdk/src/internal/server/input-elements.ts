import { ProtocolError, type ServerMiddleware } from 'crosspoint/server';

/** Refuses tool calls whose arguments hold more than `max` elements and members, at all depths. */
export function limitInputElements(max: number): ServerMiddleware {
  if (!(max >= 1)) throw new TypeError('maxToolInputElements must be a number of at least 1.');
  return (operation, next) => {
    if (operation.method === 'tools/call' && exceeds(operation.params['arguments'], max))
      throw new ProtocolError('invalid-params', `The arguments of the tool hold more than ${max} elements.`);
    return next();
  };
}

/** Stops counting at the limit. */
function exceeds(value: unknown, max: number): boolean {
  const waiting: unknown[] = [value];
  let count = 0;
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > max) return true;
    for (const member of members) if (typeof member === 'object' && member !== null) waiting.push(member);
  }
  return false;
}
