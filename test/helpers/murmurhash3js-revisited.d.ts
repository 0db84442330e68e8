declare module 'murmurhash3js-revisited' {
  const hashes: { readonly x64: { hash128(bytes: Uint8Array, seed: number): string } }
  export default hashes
}
