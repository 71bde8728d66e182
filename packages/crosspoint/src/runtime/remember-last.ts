/**
 * The function with its last result at hand: called again with the same arguments, it gives that result and does not run. For what is asked at
 * every call, where most calls in a row are alike; comparing then costs less than looking up. A function that throws is run again.
 */
export function rememberLast<A, V, B = void, C = void>(find: (a: A, b: B, c: C) => V): (a: A, b: B, c: C) => V {
  let last: { readonly a: A; readonly b: B; readonly c: C; readonly value: V } | undefined;
  return (a, b, c) => {
    if (last === undefined || last.a !== a || last.b !== b || last.c !== c) last = { a, b, c, value: find(a, b, c) };
    return last.value;
  };
}
