/** Resolves to the path of the module whose `run()` the extension host calls. */
export declare function bundleInHostSuite(): Promise<string>;
/** Resolves to the folder of a second extension, which uses what ours offers to others. */
export declare function bundleListener(): Promise<string>;
