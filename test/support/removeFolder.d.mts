/** Removes a folder in which a process that is just ending may still write. */
export declare function removeFolder(folder: string): Promise<void>;
