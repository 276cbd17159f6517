# The machine code of machine.py for x86_64; a test assembles it and compares, once for each frame evaluator:
#   as --defsym OLD=0|1 --defsym DATA=<distance from hook to the data> x86_64.s
# OLD=0, Python 3.9 and later:  PyObject *hook(tstate=rdi, frame=rsi, throwflag=edx)
# OLD=1, Python 3.6 to 3.8:     PyObject *hook(frame=rdi, throwflag=esi)

# Words of the data (layout in machine.py).
 .set DEFAULT, 0x00        # _PyEval_EvalFrameDefault
 .set MISS, 0x08           # (code) -> code entry, for code objects met first
 .set SLOW, 0x10           # (frame, event, record, word), for lines that need Python
 .set LINE_NUMBER, 0x18    # PyFrame_GetLineNumber
 .set CODE_AT, 0x20        # where an interpreter frame has its code,
 .set POSITION_AT, 0x28    # its current instruction (32 bits of it),
 .set FRAME_AT, 0x30       # and a frame object its interpreter frame; 0: they are one
 .set GENERIC, 0x60        # code entry of what has no name
 .set FRAMES, 0x1000       # 65536 x (interpreter frame, record)
 .set CODES, 0x101000      # 65536 x (code, pad, line table, unused)

# A record is what hook() leaves on the stack for one execution of a frame.
 .set R_PAD, 0             # return address of _PyEval_EvalFrameDefault: what valgrind shows
 .set R_FRAME, 8
 .set R_TABLE, 16          # first line, lines, then 32 bytes a line: (pad, hits, thread word, unused)
 .set R_BEGUN, 24          # position at which the current statement was begun
 .set R_MEASURED, 32       # not 0: Python wants the end of the current statement
 .set R_OUTER, 40          # the thread's word while the caller ran
 .set R_OLD_RECORD, 48     # what the bucket in FRAMES held
 .set R_OLD_FRAME, 56

 .macro bucket frame, out, spare
 mov \frame, \out
 shr $3, \out
 mov \out, \spare
 shr $13, \spare
 xor \spare, \out
 and $0xffff, \out
 shl $4, \out
 lea FRAMES(%r10,\out), \out
 .endm

hook:
 push %rbp
 mov %rsp, %rbp
 push %rbx
 .if OLD
 mov %rdi, %r8
 .else
 mov %rsi, %r8
 .endif
 lea hook+DATA(%rip), %r10
 bucket %r8, %rbx, %rcx
 mov CODE_AT(%r10), %rax
 mov (%r8,%rax), %rax
 mov %rax, %rcx
 shr $4, %rcx
1: and $0xffff, %ecx
 mov %rcx, %r11
 shl $5, %r11
 lea CODES(%r10,%r11), %r11
 mov (%r11), %r9
 cmp %rax, %r9
 je 2f
 test %r9, %r9
 je 3f
 inc %ecx
 jmp 1b
2: pushq (%rbx)
 pushq 8(%rbx)
 pushq $0
 pushq $0
 pushq $0
 pushq 16(%r11)
 push %r8
 pushq 8(%r11)
 mov %r8, (%rbx)
 mov %rsp, 8(%rbx)
 jmp *DEFAULT(%r10)
3: lea GENERIC(%r10), %r11
 .if OLD
 test %esi, %esi
 .else
 test %edx, %edx
 .endif
 jne 2b
 push %rdi
 push %rsi
 push %rdx
 push %r8
 push %r10
 mov %rax, %rdi
 call *MISS(%r10)
 pop %r10
 pop %r8
 pop %rdx
 pop %rsi
 pop %rdi
 mov %rax, %r11
 jmp 2b

# Every pad jumps here; %rsp is R_FRAME of the record.
 .org 0xf0
finish:
 mov (%rsp), %rcx
 cmp %rcx, (%rbx)
 jne 1f
 mov R_OLD_RECORD-8(%rsp), %rcx
 mov %rcx, 8(%rbx)
 mov R_OLD_FRAME-8(%rsp), %rcx
 mov %rcx, (%rbx)
1: mov -8(%rbp), %rbx
 mov %rbp, %rsp
 pop %rbp
 ret

# int trace(word=rdi, frame=rsi, event=edx, argument): a Py_tracefunc. `word` is a ctypes integer at the thread's word.
 .org 0x120
trace:
 cmp $1, %edx
 je 9f
 push %rbp
 mov %rsp, %rbp
 push %rbx
 push %r12
 push %r13
 push %r14
 mov %rsi, %r12
 mov %edx, %r13d
 mov 16(%rdi), %r14
 lea hook+DATA(%rip), %r10
 mov FRAME_AT(%r10), %rax
 mov %rsi, %r8
 test %rax, %rax
 je 1f
 mov (%rsi,%rax), %r8
1: bucket %r8, %rbx, %rcx
 cmp %r8, (%rbx)
 jne 7f
 mov 8(%rbx), %rbx
 mov %rbx, %rax
 sub %rsp, %rax
 cmp $0x10000, %rax      # the frame runs in this thread: its record is near
 jae 7f
 cmp %r8, R_FRAME(%rbx)
 jne 7f
 cmpq $0, R_TABLE(%rbx)
 je 8f
 cmp $3, %r13d
 je 4f
 test %r13d, %r13d
 jne 2f
 mov (%r14), %rax
 mov %rax, R_OUTER(%rbx)
2: mov %r12, %rdi
 call *LINE_NUMBER(%r10)
 lea hook+DATA(%rip), %r10
 mov R_TABLE(%rbx), %r9
 sub (%r9), %eax
 cmp 8(%r9), %eax
 jae 7f
 shl $5, %rax
 lea 16(%r9,%rax), %r9
 mov (%r9), %rax
 test %r13d, %r13d
 jne 3f
 test %rax, %rax         # a generator goes on in the line in which it yielded
 je 8f
 mov %rax, R_PAD(%rbx)
 jmp 8f
3: cmpq $0, R_MEASURED(%rbx)
 jne 6f
 test %rax, %rax
 je 6f
 mov R_FRAME(%rbx), %r8
 mov POSITION_AT(%r10), %rcx
 mov (%r8,%rcx), %r8d
 cmp %rax, R_PAD(%rbx)
 jne 5f
 cmp R_BEGUN(%rbx), %r8d
 ja 8f                   # the same statement goes on
5: mov %rax, R_PAD(%rbx)
 mov %r8, R_BEGUN(%rbx)
 mov 8(%r9), %rax
 incq (%rax)
 mov 16(%r9), %rax
 mov %rax, (%r14)
 jmp 8f
4: cmpq $0, R_MEASURED(%rbx)
 je 5f
 mov %r12, %rdi
 mov %r13d, %esi
 mov %rbx, %rdx
 mov %r14, %rcx
 call *SLOW(%r10)
5: mov R_OUTER(%rbx), %rax
 mov %rax, (%r14)
 jmp 8f
6: mov %r12, %rdi
 mov %r13d, %esi
 mov %rbx, %rdx
 mov %r14, %rcx
 call *SLOW(%r10)
 jmp 8f
7:                      # no record: a frame that was begun before hook was there
8: pop %r14
 pop %r13
 pop %r12
 pop %rbx
 pop %rbp
9: xor %eax, %eax
 ret

# uint64 request(default=rdi, const uint64 arguments[6]=rsi): valgrind's client request; the default off valgrind.
 .org 0x300
request:
 mov %rsi, %rax
 mov %rdi, %rdx
 rolq $3, %rdi
 rolq $13, %rdi
 rolq $61, %rdi
 rolq $51, %rdi
 xchgq %rbx, %rbx
 mov %rdx, %rax
 ret
 .org 0x340
pad:
 nop
 jmp finish
 .org 0x348
