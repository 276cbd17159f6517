/** The bundled code of a module, as text: scripts/workerText.mjs. */
declare module "worker:*" {
  const code: string;
  export default code;
}
