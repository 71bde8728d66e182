/** The type of the URIs of a template (RFC 6570): `notes://{id}` gives `notes://${string}`. */
export type UriPattern<Template extends string> = Template extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${UriPattern<After>}`
  : Template;

/** The variables of a template. A plain `{id}` is always a text; others may be lists or absent. */
export type TemplateVariables<Template extends string> = string extends Template
  ? Record<string, string | string[]>
  : { readonly [Name in PlainNames<Expressions<Template>>]: string } & {
      readonly [Name in OtherNames<Expressions<Template>>]?: string | string[];
    };

/** The expressions in braces. */
type Expressions<Template extends string> = Template extends `${string}{${infer Inner}}${infer After}`
  ? Inner | Expressions<After>
  : never;

type PlainNames<Inner extends string> = Inner extends `${Marks}${string}` | `${string}${'*' | ':' | ','}${string}`
  ? never
  : Inner;

type OtherNames<Inner extends string> =
  Inner extends PlainNames<Inner> ? never : BareName<Listed<Inner extends `${Marks}${infer Rest}` ? Rest : Inner>>;

type Marks = '+' | '#' | '.' | '/' | ';' | '?' | '&';
type Listed<Text extends string> = Text extends `${infer First},${infer Rest}` ? First | Listed<Rest> : Text;
type BareName<Name extends string> = Name extends `${infer Bare}*` | `${infer Bare}:${string}` ? Bare : Name;
