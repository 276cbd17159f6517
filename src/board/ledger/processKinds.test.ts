import { describe, expect, it } from "vitest";
import { say } from "../../words/t.ts";
import { KIND_LABELS, processKind } from "./processKinds.ts";

describe("the kind of a process", () => {
  it.each([
    ["gnome-shell", "desktop"],
    ["Xorg", "desktop"],
    ["lxpanel", "desktop"],
    ["labwc", "desktop"],
    ["nvpmodel_indica", "desktop"],
    ["nvargus-daemon", "services"],
    ["systemd-journal", "services"],
    ["NetworkManager", "services"],
    ["(sd-pam)", "services"],
    ["chromium-browse", "browsers"],
    ["Isolated Web Co", "browsers"],
    ["code-server", "editors"],
    ["node", "editors"],
    ["dockerd", "containers"],
    ["containerd-shim", "containers"],
    ["python3.10", "python"],
    ["jupyter-noteboo", "python"],
    ["llama-server", "servers"],
    ["ollama", "servers"],
    ["VLLM::EngineCor", "servers"],
    ["tritonserver", "servers"],
    ["jtop", "monitors"],
    ["tegrastats", "monitors"],
    ["sshd", "shells"],
    ["bash", "shells"],
    ["bashful", "other"],
    ["nodeling", "other"],
    ["", "other"],
    ["constructor", "other"],
  ] as const)("is told by its name: %s is %s", (name, kind) => {
    expect(processKind(name)).toBe(kind);
    expect(processKind(name)).toBe(kind);
    expect(say(KIND_LABELS[kind])).not.toBe("");
  });
});
