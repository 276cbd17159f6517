import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../profile/testingTime.ts";
import { parseCudaOom } from "./oomMessage.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const OLD =
  "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity; 1.25 GiB already " +
  "allocated; 20.50 MiB free; 1.50 GiB reserved in total by PyTorch)";
const NEW =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 7.44 GiB of " +
  "which 512.00 KiB is free. Including non-PyTorch memory, this process has 6.00 GiB memory in use. Of the allocated " +
  "memory 5.00 GiB is allocated by PyTorch, and 256.00 MiB is reserved by PyTorch but unallocated. If reserved but …";

describe("PyTorch's out-of-memory message", () => {
  it("is read in the wording up to 2.0", () => {
    expect(parseCudaOom(OLD)).toEqual({
      form: "up-to-2.0",
      device: 0,
      tried: 50 * MIB,
      total: Math.round(3.87 * GIB),
      allocated: 1.25 * GIB,
      free: 20.5 * MIB,
      reserved: 1.5 * GIB,
    });
  });

  it("is read as it was before 1.4, in bytes and KiB too, and with a limit of the process", () => {
    const old = "CUDA out of memory. Tried to allocate 512 bytes (GPU 1; 2.00 GiB total capacity; ";
    expect(
      parseCudaOom(`${old}1.00 GiB already allocated; 60.00 KiB free; 1.00 GiB allowed; 8.00 MiB cached)`),
    ).toEqual({
      form: "up-to-2.0",
      device: 1,
      tried: 512,
      total: 2 * GIB,
      allocated: GIB,
      free: 60 * 1024,
      reserved: 8 * MIB,
    });
  });

  it("is read in the wording from 2.1 on, with its first spelling, other processes and private pools", () => {
    const all = {
      form: "from-2.1",
      device: 0,
      tried: 1.5 * GIB,
      total: Math.round(7.44 * GIB),
      free: 512 * 1024,
      inUse: 6 * GIB,
      allocated: 5 * GIB,
      unallocated: 256 * MIB,
    };
    expect(parseCudaOom(NEW)).toEqual(all);
    const first = NEW.replace("capacity", "capacty")
      .replace("GPU 0", "GPU 0 (12.00 MiB limit)")
      .replace("Including", "Process 812 has 900.00 MiB memory in use. Including")
      .replace("PyTorch, and", "PyTorch, with 32.00 MiB allocated in private pools (e.g., CUDA Graphs), and");
    expect(parseCudaOom(first)).toEqual(all);
  });

  it("of several in a text is the last one that is whole enough", () => {
    const cut = "CUDA out of memory. Tried to allocate 2.0";
    expect(parseCudaOom(`${NEW}\n${OLD}\n${cut}`)?.form).toBe("up-to-2.0");
    expect(parseCudaOom(`${OLD}\r\n${NEW}\r\nnext`)?.form).toBe("from-2.1");
  });

  it("that is cut off gives what is left of it, and never figures of the line after it", () => {
    const cut = OLD.slice(0, OLD.indexOf("; 20.50"));
    expect(parseCudaOom(`${cut}\n7.00 GiB free`)).toEqual({
      form: "up-to-2.0",
      device: 0,
      tried: 50 * MIB,
      total: Math.round(3.87 * GIB),
      allocated: 1.25 * GIB,
    });
  });

  it("is not seen where there is none", () => {
    for (const text of ["", "CUDA out of memory", "CUDA driver error: out of memory", "Tried to allocate 2.00 GiB"]) {
      expect(parseCudaOom(text)).toBeUndefined();
    }
  });

  it("is found in time proportional to the text", async () => {
    const text = `${"CUDA out of memory. Tried to allocate 9".repeat(26_000)}\n`;
    const find = () => expect(parseCudaOom(text)).toBeUndefined();
    expect(await leastCpuMs(2_000, find)).toBeLessThan(2_000);
  });
});

const fixture = fileURLToPath(new URL("../../../shared/fixtures/oom/torch_oom.json", import.meta.url));

describe.skipIf(!fs.existsSync(fixture))("messages that boards and PCs printed", () => {
  it("are read with every figure", () => {
    const samples = JSON.parse(fs.readFileSync(fixture, "utf8")) as { text: string }[];
    expect(samples.map(({ text }) => parseCudaOom(text))).toMatchObject([
      { form: "up-to-2.0", tried: 24 * MIB, free: Math.round(1.06 * MIB), reserved: 60 * 1024 },
      { form: "up-to-2.0", tried: MIB, allocated: Math.round(10.9 * GIB), reserved: Math.round(30.96 * MIB) },
      { form: "up-to-2.0", tried: 194 * MIB, total: Math.round(3.82 * GIB), reserved: Math.round(2.22 * GIB) },
      { form: "from-2.1", tried: 2 * GIB, inUse: Math.round(11.51 * GIB), unallocated: Math.round(219.44 * MIB) },
    ]);
  });
});
