/** What answers Prometheus: one page, read anew for each request. */
import * as http from "node:http";
import { CONTENT_TYPE } from "./metrics.ts";

const PLAIN = "text/plain; charset=utf-8";
const OWN_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Whether a URL's host, with or without its port, is this computer as it names itself: what comes from elsewhere names another. */
export function isOwnName(host: string): boolean {
  return OWN_NAME.test(host);
}

/**
 * @param read the text of the metrics
 * @param onlyHere it listens on this computer's own address alone, so that nobody else is to be answered
 */
export function createMetricsServer(read: () => Promise<string>, onlyHere: boolean): http.Server {
  return http.createServer((request, response) => {
    const answer = (status: number, text: string, type = PLAIN) => {
      response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" });
      response.end(request.method === "HEAD" ? undefined : text);
    };
    if (onlyHere && !isOwnName(request.headers.host ?? "")) {
      answer(403, "This answers programs on its own computer only.\n");
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      answer(405, "This can be read only.\n");
    } else if (request.url?.split("?")[0] !== "/metrics") {
      answer(404, "The metrics are at /metrics.\n");
    } else {
      read().then(
        (text) => answer(200, text, CONTENT_TYPE),
        (error: Error) => answer(500, `${error.message}\n`),
      );
    }
  });
}
