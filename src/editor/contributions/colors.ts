/** The colors of figures beside lines, which people can change. */
import type { Color } from "./model.ts";

export const COLORS = {
  noneForeground: {
    says: { en: "Memory figure of a line that moved little.", zh: "内存变化很小的行的内存数据。" },
    defaults: { dark: "#8b949e", light: "#66707b", highContrast: "#d0d7de", highContrastLight: "#3b434b" },
  },
  lowForeground: {
    says: { en: "Memory figure of a line that took a small share.", zh: "占用份额较小的行的内存数据。" },
    defaults: { dark: "#cdbb96", light: "#7a6a45", highContrast: "#e0d2b0", highContrastLight: "#5c5138" },
  },
  mediumForeground: {
    says: {
      en: "Memory figure and ruler mark of a line that took a medium share.",
      zh: "占用份额中等的行的内存数据和标尺标记。",
    },
    defaults: { dark: "#e8ae2c", light: "#966300", highContrast: "#ffc83d", highContrastLight: "#7d4e00" },
  },
  highForeground: {
    says: {
      en: "Memory figure and ruler mark of a line that took a large share.",
      zh: "占用份额较大的行的内存数据和标尺标记。",
    },
    defaults: { dark: "#ff7a5c", light: "#93100a", highContrast: "#ff8f75", highContrastLight: "#760a04" },
  },
  freedForeground: {
    says: { en: "Memory figure of a line that gave memory back.", zh: "归还了内存的行的内存数据。" },
    defaults: { dark: "#5aa9ff", light: "#0063d3", highContrast: "#75b8ff", highContrastLight: "#0f4a85" },
  },
  staleForeground: {
    says: { en: "Memory figure of a line that changed since it was measured.", zh: "测量之后已更改的行的内存数据。" },
    defaults: { dark: "#8b949e", light: "#6e7781", highContrast: "#b6bec6", highContrastLight: "#4a525a" },
  },
  runningForeground: {
    says: {
      en: "Text and ruler mark of the line where the script is, while it runs.",
      zh: "脚本运行期间所在行的文字和标尺标记。",
    },
    defaults: { dark: "#89d185", light: "#2b7a28", highContrast: "#a7e3a3", highContrastLight: "#1e5a1c" },
  },
  mediumBackground: {
    says: { en: "Background of a line that took a medium share.", zh: "占用份额中等的行的背景。" },
    defaults: { dark: "#e8ae2c14", light: "#96630012", highContrast: "#00000000", highContrastLight: "#00000000" },
  },
  highBackground: {
    says: { en: "Background of a line that took a large share.", zh: "占用份额较大的行的背景。" },
    defaults: { dark: "#ff7a5c20", light: "#93100a16", highContrast: "#00000000", highContrastLight: "#00000000" },
  },
  runningBackground: {
    says: { en: "Background of the line where the script is, while it runs.", zh: "脚本运行期间所在行的背景。" },
    defaults: { dark: "#89d18518", light: "#2b7a2814", highContrast: "#00000000", highContrastLight: "#00000000" },
  },
  mediumBorder: {
    says: {
      en: "Line below a line of code that took a medium share; seen in the high contrast themes.",
      zh: "占用份额中等的代码行下方的线；在高对比度主题中可见。",
    },
    defaults: { dark: "#00000000", light: "#00000000", highContrast: "#ffc83d", highContrastLight: "#7d4e00" },
  },
  highBorder: {
    says: {
      en: "Line below a line of code that took a large share; seen in the high contrast themes.",
      zh: "占用份额较大的代码行下方的线；在高对比度主题中可见。",
    },
    defaults: { dark: "#00000000", light: "#00000000", highContrast: "#ff8f75", highContrastLight: "#760a04" },
  },
  runningBorder: {
    says: {
      en: "Line below the line of code where the script is, while it runs; seen in the high contrast themes.",
      zh: "脚本运行期间所在代码行下方的线；在高对比度主题中可见。",
    },
    defaults: { dark: "#00000000", light: "#00000000", highContrast: "#a7e3a3", highContrastLight: "#1e5a1c" },
  },
} as const satisfies Readonly<Record<string, Color>>;
