/* What is entered by the names of CUDA's calls and of dlsym. A few bytes for each name: the number of the call, and on to a
 * place that puts the arguments' registers in a row (jetson_memprof_call of gpu.h).
 *
 * What RTLD_NEXT and RTLD_DEFAULT find depends on where dlsym was called from, so it is gone on to as if it had been called
 * itself: with the same registers and the same return address.
 */
#pragma once
#include "gpu_calls.h"

#if defined(__x86_64__)
#define FUNCTION "@function"
#define JUMP "endbr64\n\tjmp"
#define NUMBERED "\tendbr64\n\tmov $jmp_number, %eax\n\tjmp jetson_memprof_entry\n"
#define PUSH(what) "\tpush %" what "\n\t.cfi_adjust_cfa_offset 8\n"
#define POP(what) "\tpop %" what "\n\t.cfi_adjust_cfa_offset -8\n"
#define COMMON                                                                                                             \
    PUSH("r9") PUSH("r8") PUSH("rcx") PUSH("rdx") PUSH("rsi") PUSH("rdi") "\tmov %eax, %edi\n\tmov %rsp, %rsi\n"          \
    "\tmov 48(%rsp), %rdx\n\tsub $8, %rsp\n\t.cfi_adjust_cfa_offset 8\n\tcall jetson_memprof_call\n\tadd $56, %rsp\n"   \
    "\t.cfi_adjust_cfa_offset -56\n\tret\n"
#define LOOKS(name, caller)                                                                                                \
    "\tendbr64\n" PUSH("rdi") PUSH("rsi") PUSH("rdx") "\tmov 24(%rsp), " caller "\n\tcall jetson_memprof_" name "\n"      \
    "\tmov %rdx, %r11\n" POP("rdx") POP("rsi") POP("rdi") "\ttest %r11, %r11\n\tjz 1f\n\tjmp *%r11\n1:\tret\n"
#define DLSYM_CALLER "%rdx"
#define DLVSYM_CALLER "%rcx"
#elif defined(__aarch64__)
#define FUNCTION "%function"
#define JUMP "hint #34\n\tb"
#define NUMBERED "\thint #34\n\tmov w16, #jmp_number\n\tb jetson_memprof_entry\n"
#define FRAME(size) "\tstp x29, x30, [sp, #-" size "]!\n\t.cfi_def_cfa_offset " size "\n\t.cfi_offset 29, -" size "\n"      \
    "\t.cfi_offset 30, -" size " + 8\n\tmov x29, sp\n"
#define NO_FRAME(size) "\tldp x29, x30, [sp], #" size "\n\t.cfi_restore 29\n\t.cfi_restore 30\n\t.cfi_def_cfa_offset 0\n"
#define COMMON                                                                                                             \
    FRAME("80") "\tstp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n\tstp x4, x5, [sp, #48]\n\tstp x6, x7, [sp, #64]\n\tmov w0, w16\n"            \
    "\tadd x1, sp, #16\n\tmov x2, x30\n\tbl jetson_memprof_call\n" NO_FRAME("80") "\tret\n"
#define LOOKS(name, caller)                                                                                                \
    "\thint #34\n" FRAME("48") "\tstp x0, x1, [sp, #16]\n\tstr x2, [sp, #32]\n\tmov " caller ", x30\n"                   \
    "\tbl jetson_memprof_" name "\n\tmov x17, x0\n\tmov x16, x1\n\tldp x0, x1, [sp, #16]\n\tldr x2, [sp, #32]\n"         \
    NO_FRAME("48") "\tcbz x16, 1f\n\tbr x16\n1:\tmov x0, x17\n\tret\n"
#define DLSYM_CALLER "x2"
#define DLVSYM_CALLER "x3"
#endif

#define NAME(name, code) name ":\n" code ".size " name ", . - " name "\n"
#define SHOWN(name, code) ".globl " name "\n.type " name ", " FUNCTION "\n" NAME(name, code)
#define NAMED_ENTRY(name, kind, how) ".p2align 4\n" ENTRY_##how(name) ".set jmp_number, jmp_number + 1\n"
#define ENTRY_SIZED(name) SHOWN(#name, NUMBERED)
#define ENTRY_PITCHED ENTRY_SIZED
#define ENTRY_CHANNELS ENTRY_SIZED
#define ENTRY_DESCRIBED ENTRY_SIZED
#define ENTRY_DESCRIBED_3D ENTRY_SIZED
#define ENTRY_FREES ENTRY_SIZED
#define ENTRY_LOADS ENTRY_SIZED
#define ENTRY_ASKS ENTRY_SIZED
#define ENTRY_MAPS ENTRY_SIZED
#define ENTRY_UNMAPS ENTRY_SIZED
#define ENTRY_ENDS ENTRY_SIZED
#define ENTRY_TYPED(name) SHOWN(#name, "\t" JUMP " typed_" #name "\n")
#define ASKED_ENTRY(base, at, name) ".p2align 4\n" NUMBERED ".set jmp_number, jmp_number + 1\n"
#define UNWOUND(code) "\t.cfi_startproc\n" code "\t.cfi_endproc\n"

__asm__(".pushsection .text\n" NAME("jetson_memprof_entry", UNWOUND(COMMON)) ".set jmp_number, 0\n"
        ".p2align 4\njetson_memprof_entries:\n" UNWOUND(GPU_CALLS(NAMED_ENTRY) ASKED_CALLS(ASKED_ENTRY))
        SHOWN("dlsym", UNWOUND(LOOKS("dlsym", DLSYM_CALLER))) SHOWN("dlvsym", UNWOUND(LOOKS("dlvsym", DLVSYM_CALLER)))
        ".popsection\n");

/* Of each number; ASKED_CALLS come after GPU_CALLS. */
enum { ENTRY_BYTES = 16 };
extern __attribute__((visibility("hidden"))) const char jetson_memprof_entries[];
static uintptr_t entry_of(int number) { return (uintptr_t)jetson_memprof_entries + (uintptr_t)(number * ENTRY_BYTES); }
