/** The table of NvMap's clients (debugfs, `nvmap/iovmm/clients`). Bytes. */
export interface NvmapClients {
  readonly clients: readonly {
    readonly pid: number;
    /** comm, at most 15 characters; it may hold spaces. */
    readonly process: string;
    readonly client: string;
    readonly bytes: number;
  }[];
  /** The table's own total, which is exact; shared handles are divided among clients. */
  readonly total?: number;
}
