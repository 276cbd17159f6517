/**
 * massif-visualizer's parser as a program of its own: its source (the version that Debian has) with a main() that opens a
 * file and says how many snapshots it found, against Debian's Qt and KDE libraries, all below the environment's folder.
 * The source comes from KDE's repository, or from the one that MASSIF_VISUALIZER_GIT names where that is out of reach.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "massif-visualizer";
const VERSION = "0.7.0";
const REPOSITORY = process.env.MASSIF_VISUALIZER_GIT ?? "https://github.com/KDE/massif-visualizer.git";
const PACKAGES = [
  ...["qtbase5-dev", "qtbase5-dev-tools", "libkf5config-dev", "libkf5coreaddons-dev", "libkf5i18n-dev"],
  ...["libqt5core5a", "libkf5configcore5", "libkf5coreaddons5", "libkf5i18n5"],
  ...["libicu72", "libdouble-conversion3", "libpcre2-16-0"],
];
const LIBRARIES = ["KF5ConfigCore", "KF5CoreAddons", "KF5I18n", "Qt5Core"];
const PARTS = ["filedata", "snapshotitem", "treeleafitem", "parser", "parserprivate", "util"];
const WITH_SIGNALS = ["parser", "filedata"];
const MAIN = `
#include <QFile>
#include <QTextStream>
#include "filedata.h"
#include "parser.h"

int main(int count, char** arguments)
{
    QFile file(QString::fromLocal8Bit(count > 1 ? arguments[1] : ""));
    if (!file.open(QIODevice::ReadOnly)) return 2;
    Massif::Parser parser;
    Massif::FileData* data = parser.parse(&file);
    if (data == nullptr) return 1;
    QTextStream(stdout) << data->snapshots().size() << '\\n';
    return 0;
}
`;

/** @returns {Promise<import("./peers.mjs").Made>} what it throws is why the parser is absent */
export async function make(folder) {
  for (const part of ["bin", "debian", "moc"]) mkdirSync(join(folder, part), { recursive: true });
  must(folder, "git", ["clone", "-q", "--depth", "1", "--branch", `v${VERSION}`, REPOSITORY, "source"]);
  const debian = join(folder, "debian");
  must(debian, "apt-get", ["download", "-q", ...PACKAGES]);
  for (const file of readdirSync(debian).filter((each) => each.endsWith(".deb")))
    must(debian, "dpkg-deb", ["-x", file, "."]);
  writeFileSync(join(folder, "main.cpp"), MAIN);
  const triplet = must(folder, "gcc", ["-dumpmachine"]).trim();
  const library = join(debian, "usr/lib", triplet);
  const sources = join(folder, "source/massifdata");
  const headers = [
    ...["", "/QtCore"].map((part) => join(debian, "usr/include", triplet, `qt5${part}`)),
    ...["", "/KConfigCore", "/KCoreAddons", "/KI18n"].map((part) => join(debian, `usr/include/KF5${part}`)),
    sources,
  ].map((path) => `-I${path}`);
  const generated = [];
  for (const part of WITH_SIGNALS) {
    const file = join(folder, "moc", `${part}.cpp`);
    must(folder, join(debian, "usr/lib/qt5/bin/moc"), [...headers, join(sources, `${part}.h`), "-o", file]);
    generated.push(file);
  }
  must(folder, "g++", [
    ...["-O2", "-fPIC", "-w", "-DNDEBUG", ...headers, "main.cpp", ...generated],
    ...PARTS.map((part) => join(sources, `${part}.cpp`)),
    ...[`-L${library}`, ...LIBRARIES.map((each) => `-l${each}`), `-Wl,-rpath,${library}`, `-Wl,-rpath-link,${library}`],
    ...["-o", "bin/massif-parse"],
  ]);
  chmodSync(join(folder, "bin/massif-parse"), 0o755);
  return { versions: { [NAME]: VERSION }, absent: {} };
}

function must(cwd, command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr.trim().split("\n").at(-1)}`);
}
