/* What code is mapped where, read from /proc/self/maps: the loader's own list is behind a lock that a thread which does
 * not exist in a forked child may hold. */
#pragma once
#include "base.h"
#include "log.h"

enum { CODES = 2048, MISSED = 16, AGAIN_NS = 1000000000 };

typedef struct {
    uint64_t start, end; /* of the code that may run */
    uint64_t bias;
    uint64_t table, readable_from, readable_to; /* .eh_frame_hdr, 0: none, and the segment that it is in, by the file */
    uint32_t module; /* of the log, 0: none */
    bool is_own;
} Code;

static Code codes[CODES] IN_PAGES;
static int code_count;
static uint32_t code_pages;
static struct { uint64_t page; int64_t at_ns; } missed[MISSED]; /* where nothing was mapped when it was looked for */
static int codes_stale = 1;    /* also set by dlclose, and where code is unmapped */
static int64_t codes_read_ns;
static uint32_t codes_version; /* goes up each time they are read */

enum { SEGMENTS = 64 };

/* The ELF file whose beginning is mapped at `start`. Through the kernel: it may just be going. `is_of`: whether it says of
 * itself that its code lies where `m` is. A file may be mapped from its beginning several times: its second segment begins
 * in its first page too, or somebody reads it as well. */
static bool describe(int memory, uint64_t start, const Mapping *m, Code *code, bool *is_of) {
    static union { ElfW(Ehdr) head; char bytes[sizeof(ElfW(Ehdr)) + SEGMENTS * sizeof(ElfW(Phdr))]; } first;
    const ElfW(Ehdr) *elf = &first.head;
    ssize_t got = syscall(SYS_pread64, memory, &first, sizeof first, start);
    *code = (Code){0};
    *is_of = false;
    if (got < (ssize_t)sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phentsize != sizeof(ElfW(Phdr)) ||
        elf->e_phoff & 7 || elf->e_phoff > (size_t)got || elf->e_phnum * sizeof(ElfW(Phdr)) > (size_t)got - elf->e_phoff)
        return false;
    const ElfW(Phdr) *segments = (const void *)(first.bytes + elf->e_phoff), *table = NULL;
    bool has_first = false;
    for (int i = 0; i < elf->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];
        if (s->p_type == PT_LOAD && !has_first) {
            has_first = true;
            code->bias = start - (s->p_vaddr - s->p_offset);
        }
        if (s->p_type == PT_GNU_EH_FRAME) table = s;
        if (s->p_type != PT_LOAD || !(s->p_flags & PF_X)) continue;
        uint64_t page = page_size() - 1, from = (code->bias + s->p_vaddr) & ~page, to = code->bias + s->p_vaddr + s->p_filesz;
        *is_of |= from <= m->start && m->start < to && m->offset == (s->p_offset & ~page) + (m->start - from);
    }
    for (int i = 0; table && i < elf->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];
        if (s->p_type != PT_LOAD || !(s->p_flags & PF_R) || table->p_vaddr < s->p_vaddr ||
            table->p_vaddr + table->p_memsz > s->p_vaddr + s->p_filesz)
            continue;
        code->table = code->bias + table->p_vaddr;
        code->readable_from = code->bias + s->p_vaddr;
        code->readable_to = code->readable_from + s->p_filesz;
    }
    return has_first;
}

/* Where the latest file's beginning is mapped: the first times and the last one. */
enum { BEGINNINGS = 4 };
static uint64_t beginnings[BEGINNINGS];
static int beginning_count;

/* What code the mapping is; where none of the file's beginnings says that it is its own, that of the last one. */
static bool describe_mapping(int memory, const Mapping *m, Code *code) {
    bool is_of = false, found = false;
    for (int i = 0; i < beginning_count && !is_of; i++) found = describe(memory, beginnings[i], m, code, &is_of);
    return found;
}

static bool same_text(const char *a, const char *b) { return !strcmp(a, b); }

static void read_codes(void) {
    static char path[sizeof lines_of.text];
    code_count = 0;
    codes_version++;
    codes_read_ns = clock_ns(CLOCK_MONOTONIC);
    if (codes_stale) memset(missed, 0, sizeof missed); /* another library may be in the place of one that went */
    codes_stale = 0;
    if (!open_lines("/proc/self/maps")) return;
    int memory = open_file("/proc/self/mem", O_RDONLY);
    Mapping m;
    path[0] = 0;
    beginning_count = 0;
    while (next_mapping(&m) && code_count < CODES) {
        bool has_file = m.path[0] == '/' || same_text(m.path, "[vdso]");
        if (has_file && !same_text(path, m.path)) {
            beginning_count = 0;
            strcpy(path, m.path);
        }
        if (has_file && m.offset == 0) {
            if (beginning_count < BEGINNINGS) beginning_count++;
            beginnings[beginning_count - 1] = m.start;
        }
        if (!m.runs) continue;
        Code *code = &codes[code_count], file;
        *code = (Code){.start = m.start, .end = m.end};
        if (has_file && describe_mapping(memory, &m, &file)) {
            *code = file;
            code->start = m.start;
            code->end = m.end;
            code->module = log_module(path, file.bias);
            code->is_own = m.start <= (uintptr_t)read_codes && (uintptr_t)read_codes < m.end;
        }
        code_count++;
    }
    take_up_to(&code_pages, (size_t)code_count * sizeof(Code));
    if (memory >= 0) close_file(memory);
    close_lines();
}

static const Code *code_of(uint64_t pc) {
    int low = 0, high = code_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (pc < codes[middle].start) high = middle;
        else if (pc >= codes[middle].end) low = middle + 1;
        else return &codes[middle];
    }
    return NULL;
}

/* Whether some of the code that is known lies there. Also without the lock: the answer may then be wrong, never the memory. */
static bool holds_code(const void *p, size_t size) {
    uint64_t start = (uint64_t)(uintptr_t)p, end = start + size;
    int low = 0, high = __atomic_load_n(&code_count, __ATOMIC_RELAXED);
    while (low < high) {
        int middle = (low + high) / 2;
        if (codes[middle].end <= start) low = middle + 1;
        else high = middle;
    }
    return low < __atomic_load_n(&code_count, __ATOMIC_RELAXED) && codes[low].start < end;
}

/* The code at pc; the map is read anew where there is none yet, but not again and again for the same place. */
static const Code *find_code(uint64_t pc) {
    const Code *code = code_of(pc);
    if (code) return code;
    uint64_t page = pc >> 12, place = mixed(page) % MISSED;
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (code_count == CODES && now - codes_read_ns < AGAIN_NS) return NULL; /* more than are kept: most likely one of these */
    if (missed[place].page == page && now - missed[place].at_ns < AGAIN_NS) return NULL;
    missed[place].page = page;
    missed[place].at_ns = now;
    read_codes();
    return code_of(pc);
}

/* Functions of other objects, found as the loader does it. Its list is read without its lock: while the process starts,
 * and later below the objects that never go. */
extern struct r_debug _r_debug __attribute__((weak));
extern struct r_debug *_dl_debug_addr __attribute__((weak)); /* musl's */

static struct link_map *first_object(void) {
    if (&_r_debug) return _r_debug.r_map;
    return &_dl_debug_addr && _dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

typedef struct {
    const ElfW(Sym) *symbols;
    const char *names;
    const uint32_t *gnu, *old;
    const uint16_t *versions;
} Symbols;

/* musl leaves what the file says, glibc makes addresses of it. */
static const void *address_in(const struct link_map *object, ElfW(Addr) value) {
    return (const void *)(value < object->l_addr ? object->l_addr + value : value);
}

static Symbols symbols_of(const struct link_map *object) {
    Symbols s = {0};
    for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB) s.symbols = address_in(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB) s.names = address_in(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH) s.gnu = address_in(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_HASH) s.old = address_in(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_VERSYM) s.versions = address_in(object, d->d_un.d_ptr);
    }
    return s;
}

static const ElfW(Sym) *is_it(const Symbols *s, uint32_t at, const char *name) {
    const ElfW(Sym) *found = s->symbols + at;
    if (s->versions && s->versions[at] & 0x8000) return NULL; /* for programs that were linked long ago */
    return found->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(found->st_info) == STT_FUNC && !strcmp(s->names + found->st_name, name)
               ? found : NULL;
}

static const ElfW(Sym) *by_gnu_hash(const Symbols *s, const char *name) {
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++) hash = hash * 33 + (uint8_t)*c;
    uint32_t buckets = s->gnu[0], first = s->gnu[1], words = s->gnu[2];
    const uint32_t *bucket = (const uint32_t *)((const uint64_t *)(s->gnu + 4) + words), *chain = bucket + buckets;
    uint32_t at = buckets ? bucket[hash % buckets] : 0;
    if (at < first) return NULL;
    for (;; at++) {
        uint32_t found = chain[at - first];
        const ElfW(Sym) *symbol = (found | 1) == (hash | 1) ? is_it(s, at, name) : NULL;
        if (symbol || found & 1) return symbol;
    }
}

static const ElfW(Sym) *in_object(const struct link_map *object, const char *name) {
    Symbols s = symbols_of(object);
    if (!s.symbols || !s.names) return NULL;
    if (s.gnu) return by_gnu_hash(&s, name);
    for (uint32_t at = 1; s.old && at < s.old[1]; at++) {
        const ElfW(Sym) *symbol = is_it(&s, at, name);
        if (symbol) return symbol;
    }
    return NULL;
}

static bool is_own_object(const struct link_map *object) { return object->l_ld == (const void *)_DYNAMIC; }

/* The address of `name` in the first object that has it, after our own or of all; `size` is that of the function. */
static uintptr_t function_named(const char *name, bool after_own, uint64_t *size) {
    bool looking = !after_own;
    for (const struct link_map *object = first_object(); object; object = object->l_next) {
        bool own = is_own_object(object);
        if (looking && !own) {
            const ElfW(Sym) *found = in_object(object, name);
            if (found) {
                if (size) *size = found->st_size;
                return object->l_addr + found->st_value;
            }
        }
        looking = looking || own;
    }
    return 0;
}
