/** What NVIDIA's names and numbers stand for: systems on chip, modules, releases. */

/** By the last item of the device tree's `compatible`. */
export const COMPUTE_CAPABILITY: Readonly<Record<string, string>> = {
  tegra210: "5.3",
  tegra186: "6.2",
  tegra194: "7.2",
  tegra234: "8.7",
  tegra264: "11.0",
};

export interface Module {
  readonly family: string;
  /** The size that tells modules of one family apart: `4 GB`. */
  readonly variant?: string;
}

/** By part number and the four digits after it. */
export const MODULES: Readonly<Record<string, Module>> = {
  "p3448-0000": { family: "Nano", variant: "4 GB" },
  "p3448-0002": { family: "Nano", variant: "4 GB" },
  "p3448-0003": { family: "Nano", variant: "2 GB" },
  "p2180-1000": { family: "TX1" },
  "p3310-1000": { family: "TX2" },
  "p3489-0888": { family: "TX2", variant: "4 GB" },
  "p3489-0000": { family: "TX2i" },
  "p3636-0001": { family: "TX2 NX" },
  "p3668-0000": { family: "Xavier NX", variant: "8 GB" },
  "p3668-0001": { family: "Xavier NX", variant: "8 GB" },
  "p3668-0003": { family: "Xavier NX", variant: "16 GB" },
  "p2888-0001": { family: "AGX Xavier", variant: "16 GB" },
  "p2888-0003": { family: "AGX Xavier", variant: "32 GB" },
  "p2888-0004": { family: "AGX Xavier", variant: "32 GB" },
  "p2888-0005": { family: "AGX Xavier", variant: "64 GB" },
  "p2888-0008": { family: "AGX Xavier Industrial" },
  "p3701-0000": { family: "AGX Orin" },
  "p3701-0002": { family: "IGX Orin" },
  "p3701-0004": { family: "AGX Orin", variant: "32 GB" },
  "p3701-0005": { family: "AGX Orin", variant: "64 GB" },
  "p3767-0000": { family: "Orin NX", variant: "16 GB" },
  "p3767-0001": { family: "Orin NX", variant: "8 GB" },
  "p3767-0003": { family: "Orin Nano", variant: "8 GB" },
  "p3767-0004": { family: "Orin Nano", variant: "4 GB" },
  "p3767-0005": { family: "Orin Nano", variant: "8 GB" },
  "p3834-0008": { family: "AGX Thor" },
};

/** Names that stand in a model's text, the longer ones first, where no module is named. */
export const FAMILIES: readonly string[] = [
  "AGX Thor",
  "AGX Orin",
  "IGX Orin",
  "Orin NX",
  "Orin Nano",
  "AGX Xavier",
  "Xavier NX",
  "TX2 NX",
  "TX2",
  "TX1",
  "Nano",
];

const GIB = 1024 ** 3;
/** The least MemTotal of each size of a family, the largest first: the kernel and the firmware keep some of the RAM. */
export const SIZES: Readonly<Record<string, readonly (readonly [least: number, variant: string])[]>> = {
  Nano: [
    [3 * GIB, "4 GB"],
    [1 * GIB, "2 GB"],
  ],
  "Orin Nano": [
    [7 * GIB, "8 GB"],
    [3 * GIB, "4 GB"],
  ],
  "Orin NX": [
    [14 * GIB, "16 GB"],
    [7 * GIB, "8 GB"],
  ],
  "Xavier NX": [
    [14 * GIB, "16 GB"],
    [7 * GIB, "8 GB"],
  ],
  "AGX Orin": [
    [56 * GIB, "64 GB"],
    [28 * GIB, "32 GB"],
  ],
  "AGX Xavier": [
    [56 * GIB, "64 GB"],
    [28 * GIB, "32 GB"],
    [14 * GIB, "16 GB"],
  ],
  TX2: [
    [7 * GIB, "8 GB"],
    [3 * GIB, "4 GB"],
  ],
};

/** By the L4T release; `.*` stands for all that begin so. */
export const JETPACK: readonly (readonly [l4t: string, jetpack: string])[] = [
  ["28.2.1", "3.3"],
  ["32.1", "4.2"],
  ["32.3.1", "4.3"],
  ["32.4.3", "4.4"],
  ["32.4.4", "4.4.1"],
  ["32.5.1", "4.5.1"],
  ["32.5.2", "4.5.1"],
  ["32.5", "4.5"],
  ["32.6.1", "4.6"],
  ["32.7.1", "4.6.1"],
  ["32.7.2", "4.6.2"],
  ["32.7.3", "4.6.3"],
  ["32.7.4", "4.6.4"],
  ["32.7.5", "4.6.5"],
  ["32.7.6", "4.6.6"],
  ["34.1.1", "5.0.1 Developer Preview"],
  ["34.1", "5.0 Developer Preview"],
  ["35.1", "5.0.2"],
  ["35.2.1", "5.1"],
  ["35.3.1", "5.1.1"],
  ["35.4.1", "5.1.2"],
  ["35.5", "5.1.3"],
  ["35.6.0", "5.1.4"],
  ["35.6.1", "5.1.5"],
  ["35.6.2", "5.1.5"],
  ["35.6.3", "5.1.5"],
  ["35.6.4", "5.1.6"],
  ["36.2", "6.0 Developer Preview"],
  ["36.3", "6.0"],
  ["36.4.0", "6.1"],
  ["36.4.2", "6.1"],
  ["36.4.3", "6.2"],
  ["36.4.4", "6.2.1"],
  ["36.4.7", "6.2.1"],
  ["36.5", "6.2.2"],
  ["38.2", "7.0"],
  ["38.4", "7.1"],
  ["39.2.1", "7.2.1"],
  ["39.*", "7.2"],
];

/** The CUDA that a release brings, written in the same way. */
export const CUDA: readonly (readonly [l4t: string, cuda: string])[] = [
  ["28.2.*", "9.0"],
  ["32.1.*", "10.0"],
  ["32.2.*", "10.0"],
  ["32.3.*", "10.0"],
  ["32.*", "10.2"],
  ["34.*", "11.4"],
  ["35.*", "11.4"],
  ["36.2.*", "12.2"],
  ["36.3.*", "12.2"],
  ["36.*", "12.6"],
  ["38.*", "13.0"],
  ["39.2.*", "13.2"],
];
