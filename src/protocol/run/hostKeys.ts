/** How a person reads a host key's fingerprint on the board itself. */

/** @param keyType as it stands in a key: `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa` */
export function fingerprintCommand(keyType: string): string {
  return `ssh-keygen -lf /etc/ssh/ssh_host_${keyFamily(keyType).toLowerCase()}_key.pub`;
}

/** As ssh-keygen calls it after a fingerprint: `ED25519`, `ECDSA`, `RSA`. */
export function keyFamily(keyType: string): string {
  if (keyType.startsWith("ecdsa-")) return "ECDSA";
  return keyType.replace(/^ssh-/, "").toUpperCase();
}
