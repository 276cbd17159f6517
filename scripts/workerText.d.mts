import type { Plugin } from "esbuild";

/** Resolves `worker:./module.ts` to that module's bundled code as text. */
export declare function workerText(options?: { readonly again?: boolean }): Plugin;
