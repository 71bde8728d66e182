/** A built-in module of Node, where the runtime has it, without an import that other runtimes cannot resolve. The caller's type names the members it uses. */
export function builtInModule<Module extends object>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return process?.getBuiltinModule?.(id) as Module | undefined;
}
