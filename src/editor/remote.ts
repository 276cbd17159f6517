/** The parts of `src/remote` that the editor uses, loaded when they are first needed: they are slow to start. */
export const loadAddress = () => import("../remote/address.ts");
export const loadHosts = () => import("../remote/configuredHosts.ts");
export const loadProfileRun = () => import("../remote/profileRun.ts");
export const loadResumeRun = () => import("../remote/resumeRun.ts");
