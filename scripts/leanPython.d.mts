/**
 * The same program to Python without comments and, but for `__doc__`, docstrings; each statement in its old line and
 * column. Throws a SyntaxError for a string without an end.
 */
export declare function leanPython(source: string): string;
