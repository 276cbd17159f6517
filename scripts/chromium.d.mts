/** The path of the Chromium to start: $CHROMIUM, else what Debian's packages bring; it may be missing. */
export declare function chromiumProgram(): string;
