import type { Plugin } from "esbuild";

/** What bundles leave out of their libraries. */
export declare const slimSsh2: Plugin;
export declare const slimLanguageClient: Plugin;
export declare const slimScales: Plugin;
