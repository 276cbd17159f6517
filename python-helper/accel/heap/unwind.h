/* The native stack, by the tables that compilers leave for exceptions (.eh_frame), by frame pointers where there are none.
 *
 * Of them only what call sites of C and C++ use is followed: the stack pointer, the frame pointer and the return address.
 * Nothing is called that takes a lock or memory; only the thread's own stack and tables of mapped files are read, the
 * latter by the kernel: a library may go without our knowledge. What was found for an address is kept.
 */
#pragma once
#include "base.h"
#include "modules.h"

#if defined(__x86_64__)
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 };
#elif defined(__aarch64__)
enum { FRAME_POINTER = 29, STACK_POINTER = 31, RETURN_ADDRESS = 30 };
#endif

enum { DEPTH = 64, RULES = 8192, RULE_PLACES = 1 << 14, TRAILS = 512, SAVED_STATES = 8 };

/* Where something is: not known how, as it was, nowhere (the outermost frame), saved at an address, or the address is. */
enum { BROKEN, SAME, NOWHERE, AT_CFA, AT_REGISTER };

typedef struct { uint8_t kind, of; int32_t offset; } Place;
/* All that is to be known of a frame with its instruction at `pc`, its code too. */
typedef struct {
    uint64_t pc, key;
    uint8_t cfa_of, cfa_is_read, is_signal, known; /* the register it is an offset from; whether the word there is it */
    int32_t cfa_offset;
    Place back, frame;
    bool is_own;
} Rule;

/* One after the other as they were needed first: those of a stack lie together. A program that is not idle between two
 * samples has driven them out of every cache, and to wait for memory fifty times was most of what a sample took. */
static Rule rules[RULES] IN_PAGES;
static uint16_t rule_places[RULE_PLACES]; /* number + 1, by pc */
static uint32_t rule_count, rules_version, rule_pages; /* the pages that were used; a forked child has them too */
/* Which rules a stack of this depth needed last, innermost first: most likely the same again. */
static uint16_t trails[TRAILS][DEPTH];

typedef struct { uint64_t at, end; bool failed; } Bytes;

/* What was read of the tables last. */
enum { WINDOW = 512 };
static struct { uint64_t from; size_t size; uint8_t bytes[2 * WINDOW]; } window;

static bool in_window(uint64_t at, size_t size) { return at >= window.from && at - window.from + size <= window.size; }

static uint64_t take(Bytes *b, size_t size) {
    uint64_t value = 0;
    if (b->end - b->at >= size && !in_window(b->at, size)) {
        window.from = b->at & ~(uint64_t)(WINDOW - 1);
        window.size = read_memory(window.from, window.bytes, sizeof window.bytes);
    }
    if (b->end - b->at < size || !in_window(b->at, size)) {
        b->failed = true;
        b->at = b->end;
        return 0;
    }
    memcpy(&value, window.bytes + (b->at - window.from), size);
    b->at += size;
    return value;
}

static uint64_t take_leb(Bytes *b, bool is_signed) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(b, 1);
        if (shift < 64) value |= (byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && !b->failed);
    if (is_signed && byte & 64 && shift < 64) value |= ~0ull << shift;
    return value;
}
static uint64_t take_unsigned(Bytes *b) { return take_leb(b, false); }
static int64_t take_signed(Bytes *b) { return (int64_t)take_leb(b, true); }

static void skip(Bytes *b, uint64_t size) {
    if (b->end - b->at < size) b->failed = true;
    b->at = b->failed ? b->end : b->at + size;
}

/* A value in one of the forms of DW_EH_PE. */
static uint64_t take_encoded(Bytes *b, uint8_t encoding) {
    uint64_t place = b->at, value;
    switch (encoding & 15) {
    case 0: case 4: case 12: value = take(b, 8); break;
    case 2: value = take(b, 2); break;
    case 3: value = take(b, 4); break;
    case 10: value = (uint64_t)(int16_t)take(b, 2); break;
    case 11: value = (uint64_t)(int32_t)take(b, 4); break;
    default: b->failed = true; return 0;
    }
    return (encoding & 0x70) == 0x10 ? value + place : value;
}

typedef struct {
    Bytes initial;
    uint64_t code_step;
    int64_t data_step;
    uint64_t back; /* register of the return address */
    uint8_t encoding;
    bool has_sizes, is_signal;
} Cie;

static bool read_cie(const Code *code, uint64_t at, Cie *cie) {
    if (at < code->readable_from || at > code->readable_to) return false;
    Bytes b = {at, code->readable_to, false};
    uint64_t length = take(&b, 4);
    if (length >= 0xFFFFFFF0u || b.end - b.at < length) return false;
    b.end = b.at + length;
    if (take(&b, 4)) return false;
    uint8_t version = (uint8_t)take(&b, 1);
    if (version != 1 && version != 3) return false;
    char text[8] = "", *augmentation = text;
    for (size_t i = 0; (text[i] = (char)take(&b, 1)); i++)
        if (i + 1 == sizeof text) return false;
    *cie = (Cie){.code_step = take_unsigned(&b)};
    cie->data_step = take_signed(&b);
    cie->back = version == 1 ? take(&b, 1) : take_unsigned(&b);
    if (*augmentation == 'z') {
        cie->has_sizes = true;
        uint64_t size = take_unsigned(&b);
        Bytes inner = b;
        skip(&b, size);
        for (augmentation++; *augmentation; augmentation++) {
            if (*augmentation == 'R') cie->encoding = (uint8_t)take(&inner, 1);
            else if (*augmentation == 'P') {
                uint8_t encoding = (uint8_t)take(&inner, 1);
                take_encoded(&inner, encoding);
            } else if (*augmentation == 'L') take(&inner, 1);
            else if (*augmentation == 'S') cie->is_signal = true;
        }
        if (inner.failed) return false;
    } else if (*augmentation) {
        return false;
    }
    cie->initial = b;
    return !b.failed;
}

/* A state of the rules, of the registers that are followed. */
typedef struct { uint64_t cfa_of; int64_t cfa_offset; bool cfa_is_read, cfa_known; Place back, frame; } State;

static Place *place_of(State *s, uint64_t number) {
    return number == RETURN_ADDRESS ? &s->back : number == FRAME_POINTER ? &s->frame : NULL;
}

static void set_place(State *s, uint64_t number, uint8_t kind, uint64_t of, int64_t offset) {
    Place *p = place_of(s, number);
    if (p) *p = (Place){kind, (uint8_t)of, (int32_t)offset};
}

/* A register and an offset, and perhaps the word there: of expressions, compilers make these for the two that count. */
static bool take_expression(Bytes *b, uint64_t *of, int64_t *offset, bool *is_read) {
    uint64_t size = take_unsigned(b);
    Bytes e = *b;
    skip(b, size);
    if (b->failed) return false;
    e.end = b->at;
    uint64_t first = take(&e, 1);
    if (first < 0x70 || first > 0x8F) return false;
    *of = first - 0x70;
    *offset = take_signed(&e);
    *is_read = e.at < e.end && take(&e, 1) == 6;
    return !e.failed && e.at == e.end;
}

/* Runs instructions until they are about a place after pc. */
static bool run(Bytes b, const Cie *cie, State *s, const State *initial, uint64_t at, uint64_t pc) {
    State saved[SAVED_STATES];
    int depth = 0;
    while (b.at < b.end && !b.failed) {
        uint8_t op = (uint8_t)take(&b, 1), low = op & 63;
        uint64_t number;
        int64_t offset;
        bool is_read;
        switch (op >> 6 ? op & 0xC0 : op) {
        case 0x40: at += low * cie->code_step; break;
        case 0x80: set_place(s, low, AT_CFA, 0, (int64_t)take_unsigned(&b) * cie->data_step); break;
        case 0xC0:
            if (initial && place_of(s, low)) *place_of(s, low) = *place_of((State *)initial, low);
            break;
        case 0x00: break;
        case 0x01: at = take_encoded(&b, cie->encoding); break;
        case 0x02: at += take(&b, 1) * cie->code_step; break;
        case 0x03: at += take(&b, 2) * cie->code_step; break;
        case 0x04: at += take(&b, 4) * cie->code_step; break;
        case 0x05:
            number = take_unsigned(&b);
            set_place(s, number, AT_CFA, 0, (int64_t)take_unsigned(&b) * cie->data_step);
            break;
        case 0x06:
            number = take_unsigned(&b);
            if (initial && place_of(s, number)) *place_of(s, number) = *place_of((State *)initial, number);
            break;
        case 0x07: set_place(s, take_unsigned(&b), NOWHERE, 0, 0); break;
        case 0x08: set_place(s, take_unsigned(&b), SAME, 0, 0); break;
        case 0x09:
            number = take_unsigned(&b);
            take_unsigned(&b);
            set_place(s, number, BROKEN, 0, 0);
            break;
        case 0x0A: if (depth == SAVED_STATES) return false; saved[depth++] = *s; break;
        case 0x0B: if (!depth) return false; *s = saved[--depth]; break;
        case 0x0C:
            s->cfa_of = take_unsigned(&b);
            s->cfa_offset = (int64_t)take_unsigned(&b);
            s->cfa_known = true;
            s->cfa_is_read = false;
            break;
        case 0x0D: s->cfa_of = take_unsigned(&b); break;
        case 0x0E: s->cfa_offset = (int64_t)take_unsigned(&b); break;
        case 0x0F:
            s->cfa_known = take_expression(&b, &s->cfa_of, &s->cfa_offset, &s->cfa_is_read);
            break;
        case 0x10:
            number = take_unsigned(&b);
            uint64_t of = 0;
            offset = 0;
            if (take_expression(&b, &of, &offset, &is_read) && !is_read) set_place(s, number, AT_REGISTER, of, offset);
            else set_place(s, number, BROKEN, 0, 0);
            break;
        case 0x11:
            number = take_unsigned(&b);
            set_place(s, number, AT_CFA, 0, take_signed(&b) * cie->data_step);
            break;
        case 0x12:
            s->cfa_of = take_unsigned(&b);
            s->cfa_offset = take_signed(&b) * cie->data_step;
            s->cfa_known = true;
            s->cfa_is_read = false;
            break;
        case 0x13: s->cfa_offset = take_signed(&b) * cie->data_step; break;
        case 0x14:
            number = take_unsigned(&b);
            take_unsigned(&b);
            set_place(s, number, BROKEN, 0, 0);
            break;
        case 0x15:
            number = take_unsigned(&b);
            take_signed(&b);
            set_place(s, number, BROKEN, 0, 0);
            break;
        case 0x16:
            number = take_unsigned(&b);
            skip(&b, take_unsigned(&b));
            set_place(s, number, BROKEN, 0, 0);
            break;
        case 0x2D: break; /* the return address is signed from here on */
        case 0x2E: take_unsigned(&b); break;
        case 0x2F:
            number = take_unsigned(&b);
            set_place(s, number, AT_CFA, 0, -(int64_t)take_unsigned(&b) * cie->data_step);
            break;
        default: return false;
        }
        if (initial && at > pc) return true; /* what was just read is not this far */
    }
    return !b.failed;
}

/* Where the description of the function at pc is; 0 where there is none. */
static uint64_t find_fde(const Code *code, uint64_t pc) {
    uint64_t table = code->table;
    if (!table || table > code->readable_to) return 0;
    Bytes b = {table, code->readable_to, false};
    /* Version 1, and a table of 32-bit offsets from here, as every linker makes it. */
    uint32_t shape = (uint32_t)take(&b, 4);
    if ((shape & 255) != 1 || shape >> 24 != 0x3B) return 0;
    take_encoded(&b, (uint8_t)(shape >> 8));
    uint64_t count = take_encoded(&b, (uint8_t)(shape >> 16));
    if (b.failed || count > (b.end - b.at) / 8) return 0;
    uint64_t entries = b.at, low = 0, high = count;
    int64_t offset = (int64_t)(pc - table);
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        b.at = entries + 8 * middle;
        if ((int32_t)take(&b, 4) <= offset) low = middle + 1;
        else high = middle;
    }
    if (!low) return 0;
    b.at = entries + 8 * (low - 1) + 4;
    uint64_t fde = table + (uint64_t)(int64_t)(int32_t)take(&b, 4);
    return !b.failed && fde >= code->readable_from && fde <= code->readable_to ? fde : 0;
}

typedef struct { uint64_t start, size; Cie cie; Bytes instructions; } Fde;

static bool read_fde(const Code *code, uint64_t fde, Fde *f) {
    Bytes b = {fde, code->readable_to, false};
    uint64_t length = take(&b, 4);
    if (length >= 0xFFFFFFF0u || b.end - b.at < length) return false;
    b.end = b.at + length;
    uint64_t from_here = b.at, back = take(&b, 4);
    if (!back || back > from_here - code->readable_from || !read_cie(code, from_here - back, &f->cie)) return false;
    f->start = take_encoded(&b, f->cie.encoding);
    f->size = take_encoded(&b, f->cie.encoding & 15);
    if (f->cie.has_sizes) skip(&b, take_unsigned(&b));
    f->instructions = b;
    return !b.failed;
}

static bool make_rule(const Code *code, uint64_t pc, Rule *rule) {
    window.size = 0; /* another library may be there by now */
    uint64_t fde = find_fde(code, pc);
    Fde f;
    if (!fde || !read_fde(code, fde, &f) || pc < f.start || pc - f.start >= f.size || f.cie.back != RETURN_ADDRESS) return false;
    State s = {.back = {SAME, 0, 0}, .frame = {SAME, 0, 0}}, initial;
    if (!run(f.cie.initial, &f.cie, &s, NULL, 0, 0)) return false;
    initial = s;
    if (!run(f.instructions, &f.cie, &s, &initial, f.start, pc)) return false;
    if (!s.cfa_known || (s.cfa_of != STACK_POINTER && s.cfa_of != FRAME_POINTER)) return false;
    *rule = (Rule){.cfa_of = (uint8_t)s.cfa_of, .cfa_is_read = s.cfa_is_read, .is_signal = f.cie.is_signal, .known = 1,
                   .cfa_offset = (int32_t)s.cfa_offset, .back = s.back, .frame = s.frame};
    return true;
}

static void begin_rules(void) {
    memset(rule_places, 0, sizeof rule_places);
    rule_count = 0;
    rules_version = codes_version;
}

static const Rule *find_rule(uint64_t pc) {
    uint32_t at = (uint32_t)mixed(pc);
    for (; rule_places[at % RULE_PLACES]; at++) {
        const Rule *rule = &rules[rule_places[at % RULE_PLACES] - 1];
        if (rule->pc == pc) return rule;
    }
    const Code *code = find_code(pc);
    if (!code) return NULL;
    if (rules_version != codes_version || rule_count == RULES) {
        begin_rules();
        at = (uint32_t)mixed(pc);
    }
    Rule *rule = &rules[rule_count++];
    take_up_to(&rule_pages, rule_count * sizeof *rule);
    rule_places[at % RULE_PLACES] = (uint16_t)rule_count;
    if (!make_rule(code, pc, rule)) *rule = (Rule){0};
    bool has_place = code->module && pc - code->bias < 1ull << 48;
    rule->pc = pc;
    rule->key = has_place ? (uint64_t)code->module << 48 | (pc - code->bias) : pc & 0xFFFFFFFFFFFFull;
    rule->is_own = code->is_own;
    return rule;
}

/* What is known of the frame; NULL: no code is mapped there. `likely`: the number of its rule, most likely. */
static const Rule *rule_at(uint64_t pc, uint16_t *likely) {
    if (*likely < rule_count && rules[*likely].pc == pc) return &rules[*likely];
    const Rule *rule = find_rule(pc);
    if (rule) *likely = (uint16_t)(rule - rules);
    return rule;
}

/* What runs at each sample, the rest only where something is new. */
#pragma GCC push_options
#pragma GCC optimize("O2")

/* `is_sure`: by rules alone, from where we are, so that what they point to on the stack is there. */
typedef struct { uint64_t pc, stack, frame; bool is_sure; } Registers;

/* The thread's stack, so far as it is mapped: looked for once, and again where the stack pointer has left it. It may have
 * been mapped together with what lies after it, which may go. */
static bool know_stack(uint64_t at) {
    if (at >= here.stack_low && at < here.stack_high) return true;
    if (!open_lines("/proc/self/maps")) return false;
    Mapping m;
    bool found = false;
    while (!found && next_mapping(&m)) found = m.start <= at && at < m.end && m.readable;
    if (found) {
        here.stack_low = m.start;
        here.stack_high = m.end;
    }
    close_lines();
    return found;
}

IN_LINE bool read_word(uint64_t at, uint64_t *word, bool is_sure) {
    if (at & 7 || at < here.stack_low || at > here.stack_high - 8) return false;
    if (!is_sure) return read_memory(at, word, 8) == 8;
    *word = *(const uint64_t *)(uintptr_t)at;
    return true;
}

static uint64_t without_signature(uint64_t address) {
#if defined(__aarch64__)
    register uint64_t x30 __asm__("x30") = address;
    __asm__("hint #7" : "+r"(x30)); /* xpaclri */
    return x30;
#else
    return address;
#endif
}

static bool step_by_rule(const Rule *rule, Registers *r) {
    uint64_t cfa = (rule->cfa_of == STACK_POINTER ? r->stack : r->frame) + (uint64_t)(int64_t)rule->cfa_offset;
    if (rule->cfa_is_read && !read_word(cfa, &cfa, r->is_sure)) return false;
    const Place *places[] = {&rule->back, &rule->frame};
    uint64_t values[] = {0, r->frame};
    for (int i = 0; i < 2; i++) {
        const Place *p = places[i];
        uint64_t base = p->kind == AT_CFA ? cfa : p->of == STACK_POINTER ? r->stack : r->frame;
        if (p->kind == AT_CFA || (p->kind == AT_REGISTER && (p->of == STACK_POINTER || p->of == FRAME_POINTER))) {
            if (!read_word(base + (uint64_t)(int64_t)p->offset, &values[i], r->is_sure)) return false;
        } else if (i == 0) {
            return false; /* the outermost frame, or one that nobody can follow */
        } else if (p->kind != SAME) {
            values[i] = 0;
        }
    }
    if (cfa <= r->stack && !rule->is_signal) return false; /* else it might have no end */
    *r = (Registers){without_signature(values[0]), cfa, values[1], r->is_sure};
    return true;
}

static bool step_by_pointer(Registers *r) {
    uint64_t saved[2];
    if (r->frame < r->stack || !read_word(r->frame, &saved[0], false) || !read_word(r->frame + 8, &saved[1], false)) return false;
    uint64_t back = without_signature(saved[1]);
    if (!code_of(back - 1)) return false;
    *r = (Registers){back, r->frame + 16, saved[0], false};
    return true;
}

/* Frames that are not shown end the stack: the interpreter's loop, where Python's lines go on; see loop.h. `loop_calls`: what
 * it called is a part of it too. */
typedef struct { uint64_t from, to; } Range;
static Range loop, rest_of_loop;
static bool loop_calls;

/* The keys of the frames, innermost first, without our own; at most DEPTH. */
static __attribute__((noinline)) int unwind(uint64_t *keys, bool has_lines) {
    Registers r;
#if defined(__x86_64__)
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=r"(r.pc), "=r"(r.stack), "=r"(r.frame));
#else
    __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=r"(r.pc), "=r"(r.stack), "=r"(r.frame));
#endif
    r.is_sure = true;
    int count = 0;
    bool is_exact = true; /* pc is of the instruction itself, not of the one after a call */
    if (codes_stale) read_codes();
    if (rules_version != codes_version) begin_rules();
    if (!know_stack(r.stack)) return 0;
    uint16_t *trail = trails[mixed(r.stack) % TRAILS], none = 0;
    for (int steps = 0; steps < 4 * DEPTH && count < DEPTH; steps++) {
        uint64_t pc = is_exact ? r.pc : r.pc - 1;
        const Rule *rule = rule_at(pc, steps < DEPTH ? &trail[steps] : &none);
        if (!rule) break;
        if (has_lines && (pc - loop.from < loop.to - loop.from || pc - rest_of_loop.from < rest_of_loop.to - rest_of_loop.from)) {
            if (loop_calls && count) count--;
            break;
        }
        if (!rule->is_own) keys[count++] = rule->key;
        is_exact = rule->is_signal;
        if (rule->known ? !step_by_rule(rule, &r) : !step_by_pointer(&r)) break;
        if (!r.pc) break;
    }
    return count;
}

#pragma GCC pop_options
