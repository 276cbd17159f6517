/** The swap file that Check Board and the advice set up: one and the same, used at once and after every restart. */

const FILE = "/swapfile-jetson-memprof";

/** For root. Fails, and changes nothing, where the file is there already. */
export function addSwapFile(gib: number): string {
  return (
    `sh -c 'set -e; if [ -e ${FILE} ]; then echo "${FILE} is there already" >&2; exit 1; fi; ` +
    `fallocate -l ${gib}G ${FILE}; chmod 600 ${FILE}; mkswap ${FILE}; swapon ${FILE}; ` +
    `echo "${FILE} none swap sw 0 0" >> /etc/fstab'`
  );
}

/** For root: takes back what `addSwapFile` did. */
export const REMOVE_SWAP_FILE = `sh -c 'swapoff ${FILE}; rm -f ${FILE}; sed -i "\\|^${FILE} |d" /etc/fstab'`;
