/** Bytes that a board packed, unpacked as they come. */
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { t } from "../../../words/t.ts";
import { MirrorFault } from "./mirror.ts";

/**
 * @param size bytes that must come out, no more and no fewer
 * @returns the pieces; rejects with a `MirrorFault` where `data` is not that, with its own error where `data` breaks off
 */
export async function* unpacked(data: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  const source = Readable.from(data, { objectMode: false });
  const gunzip = createGunzip();
  let broken: unknown;
  source.on("error", (error) => {
    broken = error;
    gunzip.destroy(error);
  });
  source.pipe(gunzip);
  let came = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      came += piece.length;
      if (came > size) throw new MirrorFault(t("more than the {0} bytes that were announced", size));
      yield piece;
    }
  } catch (error) {
    if (broken !== undefined || error instanceof MirrorFault) throw broken ?? error;
    throw new MirrorFault(t("packed bytes that cannot be unpacked ({0})", (error as NodeJS.ErrnoException).code ?? ""));
  } finally {
    gunzip.destroy();
    source.destroy();
  }
  if (came !== size) throw new MirrorFault(t("{0} bytes came where {1} were announced", came, size));
}
