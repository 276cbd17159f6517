/** The two modules of prom-client that are bundled; its index brings a dozen more. */
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
