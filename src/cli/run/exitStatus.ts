/** The exit status of the command, from how the script ended. */
import type { Exit } from "../../profile/model.ts";

/** Of a command that makes several runs. */
export const SOME_FAILED = 1;
export const USAGE = 64;
export const FAILURE = 70;

/** Linux's numbers, for the signals that end a process: the board's, whatever this computer's are. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};

export const INTERRUPTED = 128 + 2;

export function signalStatus(signal: string): number {
  return 128 + (SIGNALS[signal] ?? 9);
}

export function exitStatus(exit: Exit | undefined): number {
  switch (exit?.kind) {
    case "exited":
      return exit.code & 0xff;
    case "signalled":
    case "out-of-memory":
      return signalStatus(exit.signal);
    case "cancelled":
      return INTERRUPTED;
    default:
      return FAILURE;
  }
}
