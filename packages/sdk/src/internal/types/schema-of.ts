import type * as z from 'zod/v4';

/** An object of which nothing is known but that it is one. */
export type AnyObject = { [key: string]: unknown };

/** The members of a type as schemas; the ones that may be absent are optional there too. */
export type MembersOf<T> = {
  [K in keyof T as string extends K ? never : K]-?: object extends Pick<T, K>
    ? z.ZodOptional<z.ZodType<Exclude<T[K], undefined>>>
    : z.ZodType<T[K]>;
};

/**
 * The zod schema of an object type, member by member: what it parses to is the type. The compiler holds a schema against the type it is declared
 * for, so that neither can have a member the other lacks. `ObjectOf` drops members it does not know, `LooseOf` keeps them, `StrictOf` refuses them.
 */
export type ObjectOf<T> = z.ZodObject<MembersOf<T>>;
export type LooseOf<T> = z.ZodObject<MembersOf<T>, z.core.$loose>;
export type StrictOf<T> = z.ZodObject<MembersOf<T>, z.core.$strict>;

/** The schema of a request or a notification: its method as a literal, so that `schema.shape.method.value` is the name, and its params. */
export type MessageOf<Method extends string, Params extends z.ZodType> = z.ZodObject<{
  method: z.ZodLiteral<Method>;
  params: Params;
}>;

/** One of several, in the order in which they are tried. */
export type UnionOf<Options extends readonly z.ZodType[]> = z.ZodUnion<Options>;
