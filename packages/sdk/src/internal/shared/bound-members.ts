/**
 * Binds the methods and accessors of an object to it, so that they also work through a `Proxy` around it or an object that inherits from it. Those of v1 do, since
 * their private members are private to the compiler alone.
 */
export function bindMembers(instance: object): void {
  let level: unknown = Object.getPrototypeOf(instance);
  while (typeof level === 'object' && level !== null && level !== Object.prototype) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (name !== 'constructor' && !Object.hasOwn(instance, name))
        Object.defineProperty(instance, name, bound(descriptor, instance));
    level = Object.getPrototypeOf(level);
  }
}

function bound(descriptor: PropertyDescriptor, instance: object): PropertyDescriptor {
  const made = { ...descriptor };
  for (const part of ['value', 'get', 'set'] as const) {
    const found: unknown = made[part];
    if (typeof found === 'function') made[part] = found.bind(instance) as () => unknown;
  }
  return made;
}
