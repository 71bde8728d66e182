/**
 * The function with its last result at hand: called again with the same arguments, it gives that result and does not run. For what is asked at
 * every call, where most calls in a row are alike; comparing then costs less than looking up. A function that throws is run again.
 */
export function rememberLast<A, B = void, C = void, D = void, V = unknown>(
  find: (a: A, b: B, c: C, d: D) => V,
): typeof find {
  let last: { readonly a: A; readonly b: B; readonly c: C; readonly d: D; readonly value: V } | undefined;
  return (a, b, c, d) => {
    if (last === undefined || last.a !== a || last.b !== b || last.c !== c || last.d !== d)
      last = { a, b, c, d, value: find(a, b, c, d) };
    return last.value;
  };
}
