import type { CallToolResult } from './tools.ts';

/** What one tool takes, and what calling it comes to. */
export interface ToolSurface {
  readonly args: unknown;
  readonly result: unknown;
}

/** What a server offers, by name. Only for the type checker. */
export interface ServerSurface {
  readonly tools: { readonly [name: string]: ToolSurface };
  /** Prompt → its arguments. */
  readonly prompts: { readonly [name: string]: unknown };
  /** The URIs that can be read. */
  readonly resources: string;
}

/** Something whose type says what a server offers: a server of `defineServer`, or an interface written or generated for one. */
export interface HasSurface<Surface = unknown> {
  /** Never present at run time. */
  readonly '~surface'?: Surface | undefined;
}

export type SurfaceOf<T extends HasSurface> = NonNullable<T['~surface']>;

/** What a call comes to for a tool without an output schema: there is nothing but the content. */
export interface UnstructuredResult extends CallToolResult {
  structuredContent?: undefined;
}
