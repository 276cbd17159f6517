import type { Plugin } from "esbuild";

/** The language server protocol's libraries without the features that our server has not. */
export declare const slimProtocol: Plugin;
