/** What kind of program a process is, by the kernel's short name of it (comm, at most 15 characters). */
import { type Phrase, phrase } from "../../words/t.ts";

export type ProcessKind =
  | "desktop"
  | "browsers"
  | "editors"
  | "containers"
  | "servers"
  | "python"
  | "services"
  | "shells"
  | "monitors"
  | "other";

export const KIND_LABELS: Readonly<Record<ProcessKind, Phrase>> = {
  desktop: phrase("Desktop"),
  browsers: phrase("Web browsers"),
  editors: phrase("Editors and their servers"),
  containers: phrase("Containers"),
  servers: phrase("Inference servers"),
  python: phrase("Other Python programs"),
  services: phrase("System services"),
  shells: phrase("Shells and SSH"),
  monitors: phrase("Monitoring tools"),
  other: phrase("Other programs"),
};

/**
 * Names, or beginnings of names where a `*` ends them, in small letters. The first kind that has one is taken. They are
 * those of JetPack's Ubuntu (18.04 to 24.04) with GNOME, Unity, LXDE, Xfce or KDE, and of what people add.
 */
const NAMES: readonly (readonly [ProcessKind, string])[] = [
  [
    "desktop",
    `xorg xwayland gnome-* gdm* lightdm* sddm* compiz unity* nautilus* mutter* metacity plasma* kwin* kded* ksmserver
     krunner lxpanel lxsession lxterminal lxpolkit pcmanfm* openbox xfce4* xfwm4 xfdesktop xfsettingsd xfconfd thunar*
     ibus* fcitx* gsd-* gvfs* evolution* tracker* at-spi* pulseaudio pipewire* wireplumber dconf-service goa-*
     indicator-* bamfdaemon hud-service nm-applet update-notifier zeitgeist* xdg-* notify-osd notification-* nvpmodel_ind*
     gjs deja-dup-monito snap-store weston* labwc wayfire sway wf-panel-pi`,
  ],
  [
    "browsers",
    `chrome* chromium* firefox* webkit* epiphany* brave* opera* msedge* geckomain isolated* privileged* webextensions
     rdd`,
  ],
  ["editors", "code* node vim* nvim emacs* nano gedit* kate* subl* pycharm* cursor* electron*"],
  ["containers", "dockerd docker* containerd* runc podman* conmon* crio* kubelet k3s* lxc* lxd*"],
  ["servers", "llama-server ollama* tritonserver trtllm-serve vllm*"],
  ["python", "python* ipython* pypy* jupyter*"],
  [
    "monitors",
    "htop top jtop atop glances nvtop tegrastats iotop bmon prometheus* node_exporter telegraf netdata* collectd*",
  ],
  ["shells", "bash sh dash zsh fish tmux* screen sshd* ssh ssh-agent sftp-server mosh-server sudo su login"],
  [
    "services",
    `systemd* init dbus* networkmanager wpa_supplicant polkit* rsyslogd snapd* cron crond atd cupsd cups-browsed
     avahi-daemon bluetoothd nv* udisksd accounts-daemon modemmanager whoopsie unattended-upgr packagekitd fwupd* upowerd
     rpcbind thermald irqbalance chronyd ntpd ntpdate dnsmasq haveged colord rtkit-daemon networkd-dispat agetty
     kerneloops gpg-agent switcheroo* power-profiles* udevd (sd-pam) dhclient dhcpcd connmand smbd nmbd rngd argus*
     xrdp* vino-server*`,
  ],
];

const EXACT = new Map<string, ProcessKind>();
const BEGINNINGS: (readonly [beginning: string, kind: ProcessKind])[] = [];
for (const [kind, names] of NAMES) {
  for (const name of names.split(/\s+/)) {
    if (name.endsWith("*")) BEGINNINGS.push([name.slice(0, -1), kind]);
    else if (!EXACT.has(name)) EXACT.set(name, kind);
  }
}

/** A chart asks for the same few hundred names at each of its points. */
const KNOWN = new Map<string, ProcessKind>();
const MOST_KNOWN = 2000;

export function processKind(name: string): ProcessKind {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const small = name.toLowerCase();
  const kind = EXACT.get(small) ?? BEGINNINGS.find(([beginning]) => small.startsWith(beginning))?.[1] ?? "other";
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(name, kind);
  return kind;
}
