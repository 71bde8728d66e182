import { CHOICES, type Decided } from '../src/choices.ts';

/** Every project that can be made, by the name of its template. */
export const EVERY: readonly (readonly [template: string, choices: Omit<Decided, 'folder'>])[] = CHOICES.kind.flatMap(
  (kind) =>
    CHOICES.transport.flatMap((transport) =>
      CHOICES.language.map((language) => [`${kind}-${transport}-${language}`, { kind, language, transport }] as const),
    ),
);
