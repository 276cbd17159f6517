/** What the benchmarks share with the tests: a real OpenSSH server and an ssh configuration that reaches it. */
export { makeTestHome, SSHD, startSshd } from "../../test/support/sshd.ts";
