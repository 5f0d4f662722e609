declare const brand: unique symbol;

/** A value that was checked once, at the edge, and carries the proof in its type. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
