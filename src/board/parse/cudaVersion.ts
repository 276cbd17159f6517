/** The installed CUDA, by the files in /usr/local/cuda. */

const TEXT_LIMIT = 64 * 1024;

/** Of `version.json` (CUDA 11 and later) or `version.txt` (CUDA 10): `11.4.19`, `10.2.300`. */
export function parseCudaVersion(text: string): string | undefined {
  const bounded = text.slice(0, TEXT_LIMIT);
  return (
    /"cuda"\s*:\s*\{[^{}]*"version"\s*:\s*"(\d[\d.]{0,20})"/.exec(bounded)?.[1] ??
    /^CUDA Version (\d[\d.]{0,20})\s*$/m.exec(bounded)?.[1]
  );
}
