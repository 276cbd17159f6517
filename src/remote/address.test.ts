import { describe, expect, it } from "vitest";
import { UserError } from "../profile/userError.ts";
import { formatTarget, parseTarget } from "./address.ts";

describe("parseTarget", () => {
  it.each([
    ["local", { kind: "local" }],
    ["loopback", { kind: "loopback" }],
    ["nano", { kind: "ssh", host: "nano" }],
    [" nano@jetson.local ", { kind: "ssh", host: "jetson.local", user: "nano" }],
    ["nano@192.168.1.20:2222", { kind: "ssh", host: "192.168.1.20", user: "nano", port: 2222 }],
    ["ssh://nano@host:22/", { kind: "ssh", host: "host", user: "nano", port: 22 }],
    ["SSH://host", { kind: "ssh", host: "host" }],
    ["nano@[fe80::1%eth0]:2200", { kind: "ssh", host: "fe80::1%eth0", user: "nano", port: 2200 }],
    ["[nano]:2200", { kind: "ssh", host: "nano", port: 2200 }],
    ["[::1]", { kind: "ssh", host: "::1" }],
    ["user@domain@host", { kind: "ssh", host: "host", user: "user@domain" }],
  ])("reads %j", (text, expected) => {
    expect(parseTarget(text)).toEqual(expected);
  });

  it.each([
    "",
    "  ",
    "-oProxyCommand=sh",
    "user@-host",
    "-user@host",
    "a host",
    "host\nname",
    "host:0",
    "host:65536",
    "host:x",
    "host:",
    "fe80::1",
    "[]",
    "[::1",
    "[::1]x",
    "@host",
    "user@",
    "http://host",
    "host;rm",
    "$(id)",
    "a,b",
  ])("refuses %j with a hint", (text) => {
    const error = caught(() => parseTarget(text));
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).code).toBe("bad-target");
    expect((error as UserError).hint).toBeTruthy();
  });
});

describe("formatTarget", () => {
  it.each(["local", "loopback", "ssh://nano", "ssh://a@b:22", "ssh://a@[::1]:22"])("gives %s back", (text) => {
    expect(formatTarget(parseTarget(text))).toBe(text);
  });
});

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
