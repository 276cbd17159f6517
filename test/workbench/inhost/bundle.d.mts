/** Resolves to the path of the module whose `run()` the extension host calls. */
export declare function bundleInHostSuite(): Promise<string>;
