export interface Package {
  readonly name: string;
  readonly folder: string;
  readonly isNeutral: boolean;
}
export const ROOT: string;
export const PACKAGES: readonly Package[];
export function manifestOf(one: Package): Record<string, unknown> & { readonly name: string; readonly version: string };
export function entriesOf(one: Package): { readonly specifier: string; readonly source: string }[];
export function importsOf(one: Package): string[];
export function sourceAliases(): { readonly find: RegExp; readonly replacement: string }[];
export function isInternal(specifier: string): boolean;
