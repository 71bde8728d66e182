/** The three choices of a project. The first value of each is its default. */
export const CHOICES = {
  kind: ['server', 'client'],
  language: ['typescript', 'javascript'],
  transport: ['stdio', 'http'],
} as const;

export type Kind = (typeof CHOICES.kind)[number];
export type Language = (typeof CHOICES.language)[number];
export type Transport = (typeof CHOICES.transport)[number];

/** Everything that is decided before a file is written. */
export interface Decided {
  readonly folder: string;
  readonly kind: Kind;
  readonly language: Language;
  readonly transport: Transport;
}

/** The same while some of it may still be open. */
export type Given = { readonly [Member in keyof Decided]?: Decided[Member] | undefined };

/** Fills what is open with the defaults: a server in TypeScript over stdio, in a folder of that name. */
export function withDefaults({ folder, kind, language, transport }: Given): Decided {
  const decidedKind = kind ?? CHOICES.kind[0];
  return {
    folder: folder ?? defaultFolder(decidedKind),
    kind: decidedKind,
    language: language ?? CHOICES.language[0],
    transport: transport ?? CHOICES.transport[0],
  };
}

export const defaultFolder = (kind: Kind): string => `my-${kind}`;
