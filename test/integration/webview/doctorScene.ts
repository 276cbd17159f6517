/** A Check Board with a line of each status. */
import type { DoctorReport } from "../../../src/board/doctor/model.ts";
import type { ToDoctorPage } from "../../../src/protocol/board/doctor.ts";

export const REPORT: DoctorReport = {
  title: "NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)",
  simulated: "Jetson Nano",
  lines: [
    {
      id: "board",
      topic: "board",
      title: "Board",
      status: "ok",
      found: "NVIDIA Jetson Nano Developer Kit (tegra210, compute capability 5.3)",
      goodFor: "Tells which advice fits this board.",
    },
    {
      id: "ram",
      topic: "memory",
      title: "RAM",
      status: "ok",
      found: "3956.1 MiB, 2210.4 MiB of it available now",
      goodFor: "CPU and GPU share it: what one takes the other cannot have.",
    },
    {
      id: "desktop",
      topic: "memory",
      title: "Desktop",
      status: "limited",
      found: "A desktop session is running; its 11 processes hold about 812.4 MiB.",
      goodFor: "Without it that memory is free for training.",
      remedy: {
        text: "Start the board without the desktop. It takes effect at the next start of the board; `systemctl isolate` ends it at once.",
        command: "sudo systemctl set-default multi-user.target",
        asRoot: true,
        undo: "sudo systemctl set-default graphical.target",
      },
    },
    {
      id: "valgrind",
      topic: "tools",
      title: "valgrind",
      status: "missing",
      found: "Not installed.",
      goodFor: "Profile on Jetson with Massif needs it.",
      remedy: { text: "Install it from Ubuntu's packages.", command: "sudo apt-get install -y valgrind", asRoot: true },
    },
    {
      id: "nvmap",
      topic: "access",
      title: "GPU memory per process",
      status: "unknown",
      found: "/sys/kernel/debug/nvmap may only be read by root.",
      goodFor: "Shows which process holds how much of the GPU's memory.",
      remedy: { text: "There is no way to read it as an ordinary user." },
    },
  ],
};
export const MESSAGE: Extract<ToDoctorPage, { kind: "report" }> = {
  kind: "report",
  target: "nano@192.168.1.20",
  checkedAt: "2026-03-04T10:11:12.000Z",
  report: REPORT,
};
