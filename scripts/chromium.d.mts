/** The path of the Chromium to start: $CHROMIUM, else what Debian's packages bring; it may be missing. */
export declare function chromiumProgram(): string;

/**
 * The path of a browser with all its parts, as the figures of benchmarks are from one.
 * @throws {Error} where there is none; it says what to install
 */
export declare function wholeChromium(): string;
