/** Settings of the board and of what runs on it. */
import { DEFAULT_BOARD_FOLDER } from "../../../protocol/run/run.ts";
import type { SettingCategory, SettingValue } from "../model.ts";

export const BOARD_VALUES = {
  target: { kind: "text", default: "" },
  boards: { kind: "patterns", default: [] },
  python: { kind: "text", default: "" },
  launcher: { kind: "patterns", default: [] },
  container: { kind: "text", default: "" },
  containerOptions: { kind: "patterns", default: [] },
  boardFolder: { kind: "text", default: DEFAULT_BOARD_FOLDER },
  exclude: { kind: "patterns", default: [] },
  environment: { kind: "variables", default: {} },
  "watch.intervalMs": { kind: "number", whole: true, default: 1000, least: 250, most: 60000 },
} as const satisfies Readonly<Record<string, SettingValue>>;

export const BOARD_SETTINGS: SettingCategory<typeof BOARD_VALUES> = {
  id: "board",
  title: { en: "Board", zh: "开发板" },
  settings: {
    target: {
      says: {
        en: "The board (host) where scripts are profiled over SSH: an alias of your SSH configuration, `user@host` or `user@host:port`; also `local` (this computer) or `loopback` (the simulated board on this computer). Empty: asks each time and offers the last choice first. Passwords do not belong here; they are asked for when needed.",
        zh: "通过 SSH 分析脚本内存的开发板（主机）：SSH 配置中的别名、`user@host` 或 `user@host:port`；也可以是 `local`（本机）或 `loopback`（本机上的模拟开发板）。留空：每次询问，并优先提供上次的选择。密码不应写在这里；需要时会询问。",
      },
      example: { en: "`jetson-nano` or `nano@192.168.55.1:2222`", zh: "`jetson-nano` 或 `nano@192.168.55.1:2222`" },
      scope: "machine-overridable",
      needsTrust: true,
    },
    boards: {
      says: {
        en: "Boards that **Profile on Several Boards…** offers first, all chosen: each as in `jetsonMemprof.target`. With `*` or `?` in it a name stands for the hosts of your SSH configuration that match.",
        zh: "**在多个开发板上分析内存…** 首先提供并全部选中的开发板：写法与 `jetsonMemprof.target` 相同。名称中含有 `*` 或 `?` 时，代表 SSH 配置中与之匹配的主机。",
      },
      example: '`["nano-*", "nano@192.168.1.20"]`',
      scope: "machine-overridable",
      needsTrust: true,
    },
    python: {
      says: {
        en: "Python on the board that runs the script: a path, a virtual environment's folder, or a name. `~` is the home folder on the board. Empty: `python3`, or another Python found there.",
        zh: "开发板上运行脚本的 Python：路径、虚拟环境的文件夹或名称。`~` 是开发板上的主文件夹。留空：使用 `python3`，或在开发板上找到的其他 Python。",
      },
      example: { en: "`~/venv` or `/usr/bin/python3.8`", zh: "`~/venv` 或 `/usr/bin/python3.8`" },
      scope: "machine-overridable",
      needsTrust: true,
    },
    launcher: {
      says: {
        en: "The program that starts the script on the board several times, with its options; the script and its arguments follow. Each process is measured, and called by its rank. For the line engine and native stacks; notebooks are run without it. Empty: Python starts the script.",
        zh: "在开发板上多次启动脚本的程序及其选项，其后是脚本及其参数。每个进程都会被测量，并按其 rank 命名。适用于逐行引擎和原生调用栈；运行笔记本时不使用它。留空：由 Python 启动脚本。",
      },
      example: '`["torchrun", "--nproc-per-node", "2"]`',
      scope: "resource",
      needsTrust: true,
    },
    container: {
      says: {
        en: "Where on the board scripts run: `container:NAME` for a container that runs there, or `image:NAME:TAG` for a new one of an image for each run. Empty: on the board itself.",
        zh: "脚本在开发板上的运行位置：`container:NAME` 为正在运行的容器，`image:NAME:TAG` 为每次运行由镜像新建的容器。留空：直接在开发板上运行。",
      },
      example: "`container:trainer`",
      scope: "machine-overridable",
      needsTrust: true,
    },
    containerOptions: {
      says: {
        en: "Options for the `run` of docker, podman or nerdctl, where a container is made of an image.",
        zh: "由镜像新建容器时，传给 docker、podman 或 nerdctl 的 `run` 命令的选项。",
      },
      example: '`["--memory=4g", "--volume=/data:/data"]`',
      scope: "machine-overridable",
      needsTrust: true,
    },
    boardFolder: {
      says: {
        en: "Folder on the board for the copy of the project and the runs. Put it on a disk with room for both. It must be yours, and no other user of the board may be able to write to it or to rename a folder on the way to it.",
        zh: "开发板上用于存放项目副本和运行的文件夹。请放在空间足以容纳两者的磁盘上。该文件夹必须属于你，且开发板的其他用户不能写入它，也不能重命名其路径上的任何文件夹。",
      },
      example: "`/mnt/ssd/jetson-memprof`",
      scope: "machine-overridable",
      needsTrust: true,
    },
    exclude: {
      says: {
        en: "Files and folders that are not copied to the board, as `.gitignore` patterns, in addition to the project's own `.gitignore` and `.jetsonignore`. A pattern with `!` copies what would stay here, such as a file of credentials that the script reads. Figures are kept only for copied files.",
        zh: "不复制到开发板的文件和文件夹，使用 `.gitignore` 模式，作为项目自身 `.gitignore` 和 `.jetsonignore` 的补充。带 `!` 的模式会复制本应留在此处的内容，例如脚本要读取的凭据文件。仅为已复制的文件保留数据。",
      },
      example: '`["data/", "*.ckpt", "!.env"]`',
      scope: "resource",
      needsTrust: true,
    },
    environment: {
      says: {
        en: "Environment variables set for the script on the board, for CUDA, PyTorch or the script itself. They are kept in the run's record only where they change how PyTorch, CUDA or malloc use memory.",
        zh: "在开发板上为脚本设置的环境变量，供 CUDA、PyTorch 或脚本本身使用。仅当变量会改变 PyTorch、CUDA 或 malloc 使用内存的方式时，才会保存在运行的记录中。",
      },
      example: '`{ "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:128" }`',
      scope: "machine-overridable",
      needsTrust: true,
    },
    "watch.intervalMs": {
      says: {
        en: "How often the board's memory (RAM, swap, GPU) is read while a board is watched and while a run is recorded. Unit: ms. At the default it costs the board about 1 % of one core; a smaller value costs more.",
        zh: "监视开发板以及记录运行时，读取开发板内存（RAM、交换空间、GPU）的时间间隔。单位：ms。使用默认值时约占开发板一个核心的 1 %；值越小，开销越大。",
      },
      example: { en: "`250` to see short peaks", zh: "`250`，用于查看短暂的峰值" },
      scope: "resource",
      needsTrust: true,
    },
  },
};
