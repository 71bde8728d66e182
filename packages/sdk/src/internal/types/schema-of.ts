import type * as z from 'zod/v4';

/** An object with unknown members. */
export type AnyObject = { [key: string]: unknown };

/** The members of a type as schemas; optional members are optional schemas. */
export type MembersOf<T> = {
  [K in keyof T as string extends K ? never : K]-?: object extends Pick<T, K>
    ? z.ZodOptional<z.ZodType<Exclude<T[K], undefined>>>
    : z.ZodType<T[K]>;
};

/**
 * The zod schema of an object type, member by member; it parses to the type. The compiler compares a schema with the type it is declared
 * for, so that neither has a member that the other lacks. `ObjectOf` drops unknown members, `LooseOf` keeps them, `StrictOf` refuses them.
 */
export type ObjectOf<T> = z.ZodObject<MembersOf<T>>;
export type LooseOf<T> = z.ZodObject<MembersOf<T>, z.core.$loose>;
export type StrictOf<T> = z.ZodObject<MembersOf<T>, z.core.$strict>;

/** The schema of a request or notification: its method as a literal, so that `schema.shape.method.value` is the name, and its params. */
export type MessageOf<Method extends string, Params extends z.ZodType> = z.ZodObject<{
  method: z.ZodLiteral<Method>;
  params: Params;
}>;

/** A union, in the order in which its options are tried. */
export type UnionOf<Options extends readonly z.ZodType[]> = z.ZodUnion<Options>;
