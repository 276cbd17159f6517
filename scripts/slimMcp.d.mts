import type { Plugin } from "esbuild";

/** The SDK of the Model Context Protocol without what our server has not. */
export declare const slimMcp: Plugin;
