/** Words for a POSIX shell on the other side, whatever the login shell there is. */

/** One argument as one word of a POSIX shell; every byte but NUL survives. */
export function quote(argument: string): string {
  if (argument.includes("\0")) throw new RangeError("a command argument cannot hold a NUL byte");
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line for an SSH exec channel that runs `argv` and first prints `marker` on a line of its own.
 *
 * The login shell (sh, bash, zsh, fish, csh) sees only `exec sh -c '…'` with nothing inside the quotes that any of
 * them treats specially: the script travels as octal escapes where it is more than plain characters. What a start-up
 * file prints comes before the marker and is told apart by it.
 */
export function remoteCommand(argv: readonly string[], marker: string): string {
  const script = `printf '\\n%s\\n' ${quote(marker)}; exec ${argv.map(quote).join(" ")}`;
  let encoded = "";
  for (const byte of Buffer.from(script, "utf8")) {
    const char = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9 _./:=@+,;()<>&|*?{}[\]#~^-]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, "0")}`;
  }
  return `exec sh -c 'eval "$(printf %b "${encoded}")"'`;
}
