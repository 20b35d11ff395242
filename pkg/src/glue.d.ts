// The glue is build output; its types are those of `handle.ts`.
declare module "*/wasm/core.js" {
  export const RuntimeHandle: unknown;
}
