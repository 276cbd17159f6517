/* The log: a mapped file that outlives the process however it ends. jetson_memprof/heap/layout.py repeats its shape.
 *
 * All of it is in the address space from the beginning; what is used is reserved on the file system by pieces before
 * it is touched, and only while enough is left for others. So a full disk takes nothing that was written.
 */
#pragma once
#include "base.h"
#include "chance.h"
#include <sys/stat.h>

enum {
    VERSION = 4, LOG_BYTES = 8 << 20, PIECE = 1 << 14,
    SNAPSHOTS = 240, MODULES = 1024, MARKS = 96, LABEL_BYTES = 88,
    /* where they begin */
    SNAPSHOTS_AT = 4096, MARKS_AT = SNAPSHOTS_AT + SNAPSHOTS * 40, MODULES_AT = 1 << 16, TEXT_AT = MODULES_AT + MODULES * 16,
    TEXT_BYTES = 192 << 10, DETAILS_AT = 512 << 10, DETAILS = 96 << 10, NODES_AT = 2 << 20, NODES = 224 << 10,
    STACKS_AT = 5632 << 10, STACK_BYTES = 88, STACKS = ((8 << 20) - STACKS_AT) / STACK_BYTES
};
/* Head.flags */
enum { NO_ROOM = 1, LOG_FULL = 2, TABLE_FULL = 4, NOT_FIRST = 8, ENDED = 16, HAS_LINES = 32, SPARSER = 64, SIZE_UNKNOWN = 128, CONTEXT_UNKNOWN = 256,
       CONTEXT_ENDED = 512 };
/* Head.gpu_seen: calls of the runtime, of the driver, or one of their names was asked for */
enum { SEEN_RUNTIME = 1, SEEN_DRIVER = 2, SEEN_LIBRARY = 4 };
/* Stack.gpu: what CUDA allocated, exactly; by how much the GPU's free memory fell; the sum of a kind, library and line */
enum { BY_CALL = 1, BY_FREE_MEMORY = 2, GPU_GROUP = 3 };

typedef struct {
    char magic[8];
    uint32_t version, flags;
    int64_t pid, parent, mean, began_ns, began_clock_ns, ended_ms;
    int64_t samples;                                  /* taken in all */
    int64_t bytes, count, variance;                   /* that live */
    int64_t peak_bytes, peak_count, peak_variance, peak_ms;
    int64_t all_bytes;                                /* ever taken */
    int64_t untracked;                                /* samples that the table had no room for */
    uint32_t epoch, snapshots, marks, modules, text, details, nodes, stacks;
    char counters[256], command[1024];
    int64_t last_mean; /* it grows where the tables fill */
    int64_t gpu_bytes, gpu_peak_bytes, gpu_peak_ms, gpu_calls, gpu_all_bytes; /* BY_CALL */
    int64_t device_free, device_total, device_least; /* as CUDA said last and at least; -1: it was not asked */
    uint32_t gpu_epoch, gpu_seen, device; /* of the GPU of this number + 1, the first that was asked about */
} Head;

typedef struct { int64_t ms, bytes, variance, count, gpu_bytes; } Snapshot;
typedef struct { int64_t ms, bytes, variance, count; uint32_t first, details; char label[LABEL_BYTES]; } Mark;
typedef struct { uint64_t bias; uint32_t path, size; } Module;
typedef struct { uint32_t stack; float variance; int64_t bytes; } Detail;
typedef struct { uint64_t key; uint32_t parent, stack; } Node;
typedef struct { int64_t bytes, count, variance; } Sum;
/* `peak` is that of the time of `epoch`; where the head's is later, nothing has changed since and it is `live`. Of the GPU's
 * `group` is the number of the sum that it is part of, and of that one the most that it held. */
typedef struct { uint32_t node, epoch; Sum live, peak; int64_t all_bytes, samples; union { int64_t most, group; }; int64_t gpu; } Stack;

_Static_assert(sizeof(Head) <= 4096 && sizeof(Stack) == STACK_BYTES && sizeof(Node) == 16, "as layout.py has it");
_Static_assert(MARKS_AT + MARKS * (int)sizeof(Mark) <= MODULES_AT, "marks");
_Static_assert(TEXT_AT + TEXT_BYTES <= DETAILS_AT && DETAILS_AT + DETAILS * 16 <= NODES_AT, "details");
_Static_assert(NODES_AT + NODES * 16 <= STACKS_AT, "nodes");

/* A frame that is no code: a call of CUDA by its number, from bit 12 on with its GPU's number + 1; and the stack of those that
 * there was no room for. */
#define GPU_KEY (0xFFFEull << 48)
enum { GPU_SHIFT = 12, GPU_MASK = 255 };
enum { PLACELESS = 1 };

static char *log_at; /* NULL: there is none */
static char log_path[512];
static uint32_t flags, gpu_seen; /* kept also before there is a log */
static uint64_t piece_there[LOG_BYTES / PIECE / 64];
static int64_t interval_ms, snapshot_due_ms;

#define HEAD ((Head *)log_at)
#define STACK(n) ((Stack *)(log_at + STACKS_AT) + (n))
#define NODE(n) ((Node *)(log_at + NODES_AT) + (n))

static int64_t now_ms(void) { return (clock_ns(CLOCK_MONOTONIC) - HEAD->began_ns) / 1000000; }

static void flag(uint32_t what) {
    flags |= what;
    if (log_at) HEAD->flags |= what;
}

/* Of a file system of that size. Docker's /dev/shm has 64 MiB: half of them are for what the program shares itself. */
static uint64_t left_for_others(uint64_t size) {
    uint64_t half = size / 2, least = 4 << 20, most = 64 << 20;
    return half < least ? least : half > most ? most : half;
}

static bool take_piece(int fd, size_t at) {
    struct statfs found;
    if (fstatfs(fd, &found)) return false;
    /* One of no blocks, as tmpfs may be, has no limit. */
    uint64_t block = (uint64_t)found.f_bsize, all = (uint64_t)found.f_blocks * block;
    if (all && (uint64_t)found.f_bavail * block < PIECE + left_for_others(all)) return false;
    if (!syscall(SYS_fallocate, fd, 0, at, PIECE)) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    static char zeros[PIECE]; /* not const: that would be in the file */
    return syscall(SYS_pwrite64, fd, zeros, PIECE, at) == PIECE;
}

/* Whether these bytes may be touched. The descriptor may be closed by the program, which knows nothing of it. */
static bool there(size_t from, size_t size) {
    for (size_t piece = from / PIECE; piece <= (from + size - 1) / PIECE; piece++) {
        uint64_t bit = 1ull << piece % 64;
        if (piece_there[piece / 64] & bit) continue;
        int fd = open_file(log_path, O_RDWR | O_NOFOLLOW);
        bool taken = fd >= 0 && take_piece(fd, piece * PIECE);
        if (fd >= 0) close_file(fd);
        if (!taken) {
            flag(NO_ROOM);
            return false;
        }
        piece_there[piece / 64] |= bit;
        touch(log_at + piece * PIECE, PIECE);
        take_memory(IN_LOG, PIECE);
    }
    return true;
}

static void add_number(char **at, uint64_t value) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *(*at)++ = digits[--count];
}

static void read_command(char *into, size_t size) {
    int fd = open_file("/proc/self/cmdline", O_RDONLY);
    ssize_t got = fd < 0 ? 0 : syscall(SYS_read, fd, into, size - 1);
    if (fd >= 0) close_file(fd);
    for (ssize_t i = 0; i + 1 < got; i++)
        if (!into[i] || into[i] == '\n') into[i] = ' ';
}

/* A new file <folder>/<pid>-<n>.heap. A process that called exec has its number again. */
static int create_log(const char *folder, pid_t pid) {
    size_t length = strlen(folder);
    if (!length || length > sizeof log_path - 64) return -1;
    for (uint64_t serial = 0; serial < 1000; serial++) {
        memcpy(log_path, folder, length);
        char *at = log_path + length;
        *at++ = '/';
        add_number(&at, (uint64_t)pid);
        *at++ = '-';
        add_number(&at, serial);
        memcpy(at, ".heap", 6);
        int fd = open_file(log_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static uint32_t node_below(uint32_t parent, uint64_t key), stack_at(uint32_t node);

static bool begin_log(const char *folder, pid_t pid) {
    if (log_at) return true;
    memset(piece_there, 0, sizeof piece_there);
    struct rlimit largest; /* of files: whoever goes beyond it is killed */
    bool may = !getrlimit(RLIMIT_FSIZE, &largest) && largest.rlim_cur >= LOG_BYTES;
    int fd = may ? create_log(folder, pid) : -1;
    if (fd < 0) {
        flags |= NO_ROOM;
        return false;
    }
    void *found = MAP_FAILED;
    if (!ftruncate(fd, LOG_BYTES) && take_piece(fd, 0))
        found = map_pages(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    close_file(fd);
    if (found == MAP_FAILED) {
        unlink(log_path);
        flags |= NO_ROOM;
        return false;
    }
    piece_there[0] = 1;
    log_at = found;
    touch(log_at, PIECE);
    take_memory(IN_LOG, PIECE);
    Head *head = HEAD;
    head->version = VERSION;
    head->flags = flags;
    head->pid = pid;
    head->parent = getppid();
    head->mean = head->last_mean = (int64_t)mean;
    head->began_ns = clock_ns(CLOCK_MONOTONIC);
    head->began_clock_ns = clock_ns(CLOCK_REALTIME);
    head->ended_ms = -1;
    head->device_free = head->device_total = head->device_least = -1;
    head->gpu_seen = gpu_seen;
    read_command(head->command, sizeof head->command);
    interval_ms = snapshot_due_ms = 10;
    if (there(STACKS_AT, STACK_BYTES) && there(NODES_AT, 16)) {
        head->stacks = head->nodes = 1; /* the first stack is that of what has none, the first node the root */
        STACK(stack_at(node_below(0, GPU_KEY | 0xFFFF)))->gpu = BY_CALL;
        memcpy(head->magic, "JMPHEAP", 8); /* last: a reader ignores the file until now */
        return true;
    }
    syscall(SYS_munmap, log_at, LOG_BYTES);
    log_at = NULL;
    jetson_memprof_heap_taken[IN_LOG] = 0;
    unlink(log_path);
    return false;
}

/* The stack's state at the last peak, before it changes. */
static void keep_peak(Stack *s, uint32_t epoch) {
    if (s->epoch == epoch) return;
    s->peak = s->live;
    s->epoch = epoch;
}

static void take_snapshot(int64_t ms) {
    Head *head = HEAD;
    Snapshot *all = (Snapshot *)(log_at + SNAPSHOTS_AT);
    if (head->snapshots == SNAPSHOTS) { /* every second one stays */
        for (int i = 0; i < SNAPSHOTS / 2; i++) all[i] = all[2 * i + 1];
        head->snapshots = SNAPSHOTS / 2;
        interval_ms *= 2;
    }
    all[head->snapshots] = (Snapshot){ms, head->bytes, head->variance, head->count, head->gpu_bytes};
    head->snapshots++;
    snapshot_due_ms = ms + interval_ms;
}

/* The GPU's memory has sums of its own, and a peak of its own. */
static OUT_OF_LINE void charge_gpu(Stack *s, Weight w, int64_t ms) {
    Head *head = HEAD;
    Stack *both[] = {s, s->group ? STACK(s->group) : NULL};
    for (int i = 0; i < 2 && both[i]; i++) {
        keep_peak(both[i], head->gpu_epoch);
        both[i]->live.bytes += w.bytes;
        both[i]->live.count += w.count;
    }
    if (both[1] && both[1]->live.bytes > both[1]->most) both[1]->most = both[1]->live.bytes;
    if (s->gpu != BY_CALL) return;
    head->gpu_bytes += w.bytes;
    if (head->gpu_bytes <= head->gpu_peak_bytes) return;
    head->gpu_peak_bytes = head->gpu_bytes;
    head->gpu_peak_ms = ms;
    head->gpu_epoch++;
}

static void charge(uint32_t stack, Weight w) {
    Head *head = HEAD;
    Stack *s = STACK(stack);
    int64_t ms = now_ms();
    if (ms >= snapshot_due_ms) take_snapshot(ms);
    if (RARELY(s->gpu)) {
        charge_gpu(s, w, ms);
        return;
    }
    keep_peak(s, head->epoch);
    s->live.bytes += w.bytes;
    s->live.count += w.count;
    s->live.variance += w.variance;
    head->bytes += w.bytes;
    head->count += w.count;
    head->variance += w.variance;
    if (head->bytes <= head->peak_bytes) return;
    head->peak_bytes = head->bytes;
    head->peak_count = head->count;
    head->peak_variance = head->variance;
    head->peak_ms = ms;
    head->epoch++;
}

static void charge_new(uint32_t stack, Weight w) {
    charge(stack, w);
    STACK(stack)->all_bytes += w.bytes;
    STACK(stack)->samples++;
    HEAD->all_bytes += w.bytes;
    HEAD->samples++;
}

static void charge_back(uint32_t stack, Weight w) { charge(stack, (Weight){-w.bytes, -w.count, -w.variance}); }

/* What lives at this moment, by stack, as far as there is room. */
static void take_mark(const char *label) {
    Head *head = HEAD;
    int64_t ms = now_ms();
    take_snapshot(ms);
    if (head->marks == MARKS) return;
    Mark *m = (Mark *)(log_at + MARKS_AT) + head->marks;
    if (!there((size_t)((char *)m - log_at), sizeof *m)) return;
    *m = (Mark){.ms = ms, .bytes = head->bytes, .variance = head->variance, .count = head->count, .first = head->details};
    size_t length = strlen(label);
    memcpy(m->label, label, length < LABEL_BYTES ? length : LABEL_BYTES - 1);
    uint32_t at = head->details;
    for (uint32_t i = 0; i < head->stacks; i++) {
        if (!STACK(i)->live.bytes || STACK(i)->gpu) continue;
        if (at == DETAILS || !there(DETAILS_AT + at * sizeof(Detail), sizeof(Detail))) {
            at = head->details; /* not in part: its total is there */
            break;
        }
        ((Detail *)(log_at + DETAILS_AT))[at++] = (Detail){i, (float)STACK(i)->live.variance, STACK(i)->live.bytes};
    }
    m->details = at - head->details;
    head->details = at;
    head->marks++;
}

/* Which file it is that has this name now: " <inode> <size> <time of its last change in ns>". How long that is; 0: none. */
static size_t identity_of(const char *path, char *into) {
    struct stat file;
    if (path[0] != '/' || syscall(SYS_newfstatat, AT_FDCWD, path, &file, 0)) return 0;
    uint64_t parts[] = {file.st_ino, (uint64_t)file.st_size, (uint64_t)file.st_mtim.tv_sec * 1000000000u + (uint64_t)file.st_mtim.tv_nsec};
    char *at = into;
    for (int i = 0; i < 3; i++) {
        *at++ = ' ';
        add_number(&at, parts[i]);
    }
    return (size_t)(at - into);
}

/* Its text is the path, and behind a 0 which file that was: names of another one would be wrong. */
static uint32_t log_module(const char *path, uint64_t bias) {
    Head *head = HEAD;
    Module *all = (Module *)(log_at + MODULES_AT);
    uint32_t size = (uint32_t)strlen(path) + 1;
    for (uint32_t i = 0; i < head->modules; i++)
        if (all[i].bias == bias && all[i].size >= size && !memcmp(log_at + TEXT_AT + all[i].path, path, size)) return i + 1;
    char identity[80];
    uint32_t more = (uint32_t)identity_of(path, identity);
    if (head->modules == MODULES || head->text + size + more > TEXT_BYTES) {
        flag(LOG_FULL);
        return 0;
    }
    if (!there(MODULES_AT + head->modules * sizeof(Module), sizeof(Module)) || !there(TEXT_AT + head->text, size + more)) return 0;
    memcpy(log_at + TEXT_AT + head->text, path, size);
    memcpy(log_at + TEXT_AT + head->text + size, identity, more);
    all[head->modules] = (Module){bias, head->text, size + more};
    head->text += size + more;
    return ++head->modules;
}

/* The nodes by (parent, key): places in the log, 0: none. */
enum { NODE_PLACES = 1 << 18 };
static uint32_t node_places[NODE_PLACES] IN_PAGES;

/* The number of the node for `key` below `parent`; 0: there is no room for it. */
static uint32_t node_below(uint32_t parent, uint64_t key) {
    Head *head = HEAD;
    uint32_t at = (uint32_t)mixed(key ^ (uint64_t)parent << 40) & (NODE_PLACES - 1);
    for (; node_places[at]; at = (at + 1) & (NODE_PLACES - 1)) {
        Node *n = NODE(node_places[at]);
        if (n->key == key && n->parent == parent) return node_places[at];
    }
    if (head->nodes == NODES) {
        flag(LOG_FULL);
        return 0;
    }
    if (!there(NODES_AT + head->nodes * sizeof(Node), sizeof(Node))) return 0;
    *NODE(head->nodes) = (Node){key, parent, 0};
    node_places[at] = head->nodes;
    return head->nodes++;
}

/* The number of the stack that ends at `node`; 0, that of what has none: there is no room for it. */
static uint32_t stack_at(uint32_t node) {
    Head *head = HEAD;
    if (!node) return 0;
    if (NODE(node)->stack) return NODE(node)->stack;
    if (head->stacks == STACKS) {
        flag(LOG_FULL);
        return 0;
    }
    if (!there(STACKS_AT + head->stacks * STACK_BYTES, STACK_BYTES)) return 0;
    *STACK(head->stacks) = (Stack){.node = node, .epoch = head->epoch};
    NODE(node)->stack = head->stacks;
    return head->stacks++;
}
