/** Where the links and pictures of a Markdown text lead that have no full address. */
export declare function relativeTargets(markdown: string): string[];

/**
 * README or CHANGELOG as it goes into a package whose repository nobody knows: without its pictures, and with the names
 * of files in place of links to them. Throws for a relative link in a form that it does not know.
 */
export declare function packedPage(markdown: string): string;
