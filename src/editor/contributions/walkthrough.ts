/** The first steps, which lead from a board to the answer. */
import type { Walkthrough } from "./model.ts";

export const WALKTHROUGH: Walkthrough = {
  id: "start",
  title: { en: "Find the line that took the memory", zh: "找出占用内存的代码行" },
  description: {
    en: "From a board to the figures beside your lines, in minutes. On Linux no board is needed.",
    zh: "几分钟内，从连接开发板到代码行旁显示数据。在 Linux 上无需开发板。",
  },
  steps: {
    board: {
      title: { en: "Add a board", zh: "添加开发板" },
      description: {
        en: "Choose a board of your SSH configuration, or type **user@host**.\n[Add a Board](command:jetsonMemprof.selectTarget)\n**No board at hand?** On Linux choose **Simulated board**: this computer, reached over SSH. On Windows and macOS any Linux machine that you reach over SSH will do.\nIt does not answer, or something is missing there? [Check Board](command:jetsonMemprof.checkBoard) says what to do.",
        zh: "选择 SSH 配置中的开发板，或输入 **user@host**。\n[添加开发板](command:jetsonMemprof.selectTarget)\n**手边没有开发板？** 在 Linux 上选择**模拟开发板**，即通过 SSH 访问的本机。在 Windows 和 macOS 上，可使用任何能通过 SSH 访问的 Linux 计算机。\n开发板没有响应，或者缺少某些组件？[检查开发板](command:jetsonMemprof.checkBoard)会告诉你该怎么做。",
      },
      picture: { en: "A laptop and a board, joined by SSH.", zh: "通过 SSH 连接的笔记本电脑和开发板。" },
      reached: "board",
    },
    key: {
      title: { en: "Verify its key", zh: "验证其密钥" },
      description: {
        en: "Make sure that it is your board: the fingerprint of its key must be the one that the board itself prints.\n[Verify Board Key](command:jetsonMemprof.verifyKey)\n**Simulated board:** a new key is made each time, so you only see what the page looks like.\nThe key is not the one that you know? Nothing is sent; the page says what to do.",
        zh: "确认连接的确实是你的开发板：其密钥指纹必须与开发板自身输出的指纹一致。\n[验证开发板密钥](command:jetsonMemprof.verifyKey)\n**模拟开发板：** 其密钥每次都会重新生成，因此这里只用于查看该页面的样子。\n密钥与你已知的不同？不会发送任何内容；页面会说明该怎么做。",
      },
      picture: {
        en: "The fingerprint shown here and the one that the board prints are compared.",
        zh: "将此处显示的指纹与开发板输出的指纹进行比较。",
      },
      reached: "key",
    },
    sample: {
      title: { en: "Profile the sample", zh: "分析示例项目" },
      description: {
        en: "A small training script that needs nothing but Python. Create it, then profile it on your board or on the simulated one.\n[Create Sample Project…](command:jetsonMemprof.createSample)\n[Profile It](command:jetsonMemprof.profile)\nYour own script works the same: right-click it and choose **Profile on Jetson**. Does it fail? **Show Output** in the message shows why. In Restricted Mode nothing runs: [trust the workspace](command:workbench.trust.manage) first.",
        zh: "一个只需要 Python 的小型训练脚本。先创建它，然后在开发板或模拟开发板上分析其内存。\n[创建示例项目…](command:jetsonMemprof.createSample)\n[分析内存](command:jetsonMemprof.profile)\n你自己的脚本也一样：右键单击脚本并选择**在 Jetson 上分析内存**。失败了？消息中的**显示输出**会说明原因。在受限模式下不会运行任何内容：请先[信任此工作区](command:workbench.trust.manage)。",
      },
      picture: {
        en: "The menu of a script, with Profile on Jetson chosen.",
        zh: "脚本的菜单，已选择“在 Jetson 上分析内存”。",
      },
      reached: "profiled",
    },
    deltas: {
      title: { en: "Read the deltas", zh: "查看内存变化" },
      description: {
        en: "Each line now shows what it took or gave back. The sample's comments say what to expect.\n[Go to Heaviest Line](command:jetsonMemprof.showHeaviestLine)\nRest the pointer on a line, or press the keys of **Show or Focus Hover**, for all of its figures. Nothing beside the lines? Profile a script first, or choose a run in [Memory Runs](command:jetsonMemprof.runs.focus).",
        zh: "现在每一行都会显示其占用或归还的内存。示例的注释说明了预期的结果。\n[转到占用内存最多的行](command:jetsonMemprof.showHeaviestLine)\n将指针停留在某一行上，或按下**显示或聚焦悬停**的快捷键，即可查看其全部数据。行旁没有任何内容？请先分析脚本，或在[内存运行记录](command:jetsonMemprof.runs.focus)中选择一次运行。",
      },
      picture: {
        en: "Figures beside lines: taken and kept, held for a moment, given back.",
        zh: "代码行旁的数据：占用并保留、短暂占用、归还。",
      },
      reached: "read",
    },
    flame: {
      title: { en: "Open the flame view", zh: "打开火焰图视图" },
      description: {
        en: "The native code behind each line: of what the script allocates a sample is taken, with the call stack and the Python line. The script is as fast as before, and the board needs nothing for it.\n[Profile with Native Stacks](command:jetsonMemprof.profileNativeStacks)\n[Open the Flame View](command:jetsonMemprof.openMassifView)\n**Every byte counted?** [Massif](command:jetsonMemprof.profileMassif), a tool of valgrind, is exact and 20 to 150 times slower; the board needs **valgrind** for it.",
        zh: "每一行背后的原生代码：对脚本分配的内存进行采样，并记录调用栈和 Python 行。脚本的速度与之前相同，开发板无需安装任何东西。\n[分析内存和原生调用栈](command:jetsonMemprof.profileNativeStacks)\n[打开火焰图视图](command:jetsonMemprof.openMassifView)\n**需要统计每个字节？** [Massif](command:jetsonMemprof.profileMassif) 是 valgrind 的一个工具，它是精确的，但慢 20 到 150 倍；开发板上需要安装 **valgrind**。",
      },
      picture: {
        en: "A flame graph: Python lines above the native functions that asked for memory.",
        zh: "火焰图：Python 代码行位于请求内存的原生函数之上。",
      },
      reached: "flame",
    },
    ledger: {
      title: { en: "Read the ledger", zh: "查看内存账本" },
      description: {
        en: "CPU and GPU of a Jetson share one RAM. At a run's peak the ledger says who held how much of it, in rows that add up.\n[Show Board Memory](command:jetsonMemprof.showBoardMemory)\n[Watch Memory Live](command:jetsonMemprof.watchMemory)\n**Simulated board:** it is the RAM of this computer.",
        zh: "Jetson 的 CPU 和 GPU 共享同一 RAM。内存账本列出运行达到峰值时各方占用了多少 RAM，各行相加等于总量。\n[显示开发板内存](command:jetsonMemprof.showBoardMemory)\n[实时监视内存](command:jetsonMemprof.watchMemory)\n**模拟开发板：** 即本机的 RAM。",
      },
      picture: {
        en: "One bar is all of the RAM, cut into rows that add up to it.",
        zh: "一个长条代表全部 RAM，切分成相加等于总量的各行。",
      },
      reached: "ledger",
    },
  },
};
