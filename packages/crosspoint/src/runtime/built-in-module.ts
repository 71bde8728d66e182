/** A module of Node's, where the runtime has it: needs no import that others cannot resolve. The caller names the members that it uses. */
export function builtInModule<Module extends object>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return process?.getBuiltinModule?.(id) as Module | undefined;
}
