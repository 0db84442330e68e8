declare const brand: unique symbol

/** A string or number that cannot be mixed up with another kind, at no cost at run time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
