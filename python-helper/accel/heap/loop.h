/* Where Python's interpreter has its loop.
 *
 * It is _PyEval_EvalFrameDefault, but compilers and linkers may put the most of a function elsewhere, with a description of
 * its own, into the middle of which the rest jumps (Debian's Python 3.14 is so). Where neither is as large as a loop is,
 * each instruction is a function of its own (tail calls), which that one calls. */
#pragma once
#include "unwind.h"

enum { LOOP_BYTES = 8192, LEAST_JUMPS = 3, PARTS = 16 };
typedef struct { Range range; int jumps; } Part;

/* Where the instruction that may be at b->at jumps; 0: it is no jump. Goes on to the next place that may have one. */
static uint64_t take_jump(Bytes *b) {
    uint64_t at = b->at;
#if defined(__x86_64__)
    b->at++;
    Bytes next = {at, b->end, false};
    uint8_t code = (uint8_t)take(&next, 1);
    if (code == 0x0F ? (take(&next, 1) & 0xF0) != 0x80 : code != 0xE9) return 0;
    int64_t distance = (int32_t)take(&next, 4);
    return next.failed ? 0 : next.at + (uint64_t)distance;
#else
    uint32_t code = (uint32_t)take(b, 4);
    if (code >> 26 == 5) return at + (uint64_t)((int64_t)((int32_t)(code << 6) >> 6) * 4);                 /* b */
    if ((code & 0xFF000010) != 0x54000000 && (code & 0x7E000000) != 0x34000000) return 0;                  /* b.cond, cbz */
    return at + (uint64_t)((int64_t)((int32_t)(code << 8) >> 13) * 4);
#endif
}

/* The part of the code whose description is about `pc`. */
static bool find_part(const Code *code, uint64_t pc, Part *part) {
    uint64_t fde = find_fde(code, pc);
    Fde f;
    if (!fde || !read_fde(code, fde, &f) || pc < f.start || pc - f.start >= f.size) return false;
    *part = (Part){{f.start, f.start + f.size}, 0};
    return true;
}

static bool is_within(Range range, uint64_t pc) { return pc >= range.from && pc < range.to; }

/* The largest part that the function jumps into the middle of; an empty one where there is none as large as a loop. */
static Range rest_of(Range function, const Code *code) {
    static Part parts[PARTS];
    int count = 0;
    window.size = 0; /* another library may be there by now */
    for (Bytes b = {function.from, function.to, false}; b.at < b.end && !b.failed;) {
        uint64_t to = take_jump(&b);
        if (!to || is_within(function, to) || to < code->start || to >= code->end) continue;
        int i = 0;
        while (i < count && !is_within(parts[i].range, to)) i++;
        if (i == PARTS || (i == count && !find_part(code, to, &parts[i]))) continue;
        if (i == count) count++;
        if (to != parts[i].range.from) parts[i].jumps++;
    }
    Range found = {0, LOOP_BYTES - 1};
    for (int i = 0; i < count; i++)
        if (parts[i].jumps >= LEAST_JUMPS && parts[i].range.to - parts[i].range.from > found.to - found.from)
            found = parts[i].range;
    return found.from ? found : (Range){0, 0};
}

static void find_loop(void) {
    uint64_t size = 0, from = function_named("_PyEval_EvalFrameDefault", false, &size);
    loop = (Range){from, from + size};
    if (codes_stale) read_codes();
    const Code *code = from ? find_code(from) : NULL;
    if (!code || !code->table) return;
    rest_of_loop = rest_of(loop, code);
    loop_calls = !rest_of_loop.to && size < LOOP_BYTES;
}
