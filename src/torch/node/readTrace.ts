/** A torch.profiler trace on disk, packed with gzip or not. Anybody may have made it: what is read of it is limited. */
import { createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { MemoryTrace } from "../trace/model.ts";
import { createTraceReader } from "../trace/traceReader.ts";

/** Bytes, unpacked: reading them takes about a minute. */
export const LARGEST_TRACE = 2 * 1024 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** @throws UserError `trace-unreadable`, `not-a-trace`, `no-memory-events` */
export async function readTrace(file: string, largest: number = LARGEST_TRACE): Promise<MemoryTrace> {
  const reader = createTraceReader();
  let bytes = 0;
  try {
    for await (const piece of await pieces(file)) {
      reader.push(piece.subarray(0, largest - bytes));
      bytes += piece.length;
      if (reader.isDone || bytes > largest) break;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  return reader.end(bytes > largest ? largest : undefined);
}

async function pieces(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await fs.open(file, "r");
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new UserError(
      "trace-unreadable",
      t("{0} is not a plain file.", file),
      t("Open a trace that torch.profiler wrote."),
    );
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  await handle.close();
  const source = createReadStream(file, { highWaterMark: PIECE });
  if (bytesRead < 2 || buffer[0] !== 0x1f || buffer[1] !== 0x8b) return source as AsyncIterable<Buffer>;
  const gunzip = createGunzip({ chunkSize: PIECE });
  source.on("error", (error) => gunzip.destroy(error));
  gunzip.on("close", () => source.destroy());
  return source.pipe(gunzip);
}

function unreadable(file: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const packed = code?.startsWith("Z_") === true;
  return new UserError(
    "trace-unreadable",
    t("The trace {0} cannot be read: {1}.", file, packed ? t("its packed bytes are damaged") : message),
    packed ? t("Copy it again from where it was made.") : t("Check that the file is there and that you may read it."),
    { cause: error },
  );
}
