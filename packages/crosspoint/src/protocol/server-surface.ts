import type { CallToolResult } from './tools.ts';

/** The arguments and the result of one tool. */
export interface ToolSurface {
  readonly args: unknown;
  readonly result: unknown;
}

/** The tools, prompts and resources of a server by name; for the type checker alone. */
export interface ServerSurface {
  readonly tools: { readonly [name: string]: ToolSurface };
  /** Arguments by prompt. */
  readonly prompts: { readonly [name: string]: unknown };
  /** The URIs that can be read. */
  readonly resources: string;
}

/** A value whose type tells what a server offers: a server of `defineServer`, or an interface written or generated for one. */
export interface HasSurface<Surface = unknown> {
  /** Never present at run time. */
  readonly '~surface'?: Surface | undefined;
}

export type SurfaceOf<T extends HasSurface> = NonNullable<T['~surface']>;

/** The result of a tool without an output schema: content alone. */
export interface UnstructuredResult extends CallToolResult {
  structuredContent?: undefined;
}
