/** What "Check Board" tells: each line what was found, what it is good for and, where missing, what to do. */
export interface DoctorReport {
  /** `NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)`. */
  readonly title: string;
  /** What is simulated, for a board that is none: `Jetson Nano`. */
  readonly simulated?: string;
  readonly lines: readonly DoctorLine[];
}

export interface DoctorLine {
  /** Stable: `board`, `jetpack`, `cuda`, `ram`, `swap`, `desktop`, `python`, `torch`, `valgrind`, `tegrastats`, … */
  readonly id: string;
  readonly topic: "board" | "memory" | "python" | "tools" | "access";
  readonly title: string;
  /** `limited`: it works in part, or better could be had; `unknown`: it could not be found out. */
  readonly status: "ok" | "missing" | "limited" | "unknown";
  readonly found: string;
  readonly goodFor: string;
  readonly remedy?: Remedy;
}

export interface Remedy {
  /** What it does and what to expect, whole sentences. */
  readonly text: string;
  /** The exact shell command for this board's release; absent where there is none to run. */
  readonly command?: string;
  /** The command starts with `sudo`. */
  readonly asRoot?: boolean;
  /** How to take it back. */
  readonly undo?: string;
}
