# The machine code of machine.py for x86_64; a test assembles it and compares, once for each frame evaluator:
#   as --defsym OLD=0|1 --defsym DATA=<distance from hook to the data> x86_64.s
# OLD=0, Python 3.9 and later:  PyObject *hook(tstate=rdi, frame=rsi, throwflag=edx)
# OLD=1, Python 3.6 to 3.8:     PyObject *hook(frame=rdi, throwflag=esi)

# Words of the data (layout in machine.py).
 .set DEFAULT, 0x00        # _PyEval_EvalFrameDefault
 .set MISS, 0x08           # Python's (code) -> None where it has an entry now, for code objects met first; 0: do without
 .set SLOW, 0x10           # Python's (frame, event, record, word), for lines that need Python
 .set LINE_NUMBER, 0x18    # PyFrame_GetLineNumber
 .set CODE_AT, 0x20        # where an interpreter frame has its code,
 .set POSITION_AT, 0x28    # its current instruction (32 bits of it),
 .set FRAME_AT, 0x30       # and a frame object its interpreter frame; 0: they are one
 .set CALL, 0x40           # PyObject_CallFunction
 .set NONE, 0x48           # None, whose count of references is not kept: each call adds one
 .set MISS_FORMAT, 0x50    # of the arguments, for CALL
 .set SLOW_FORMAT, 0x58
 .set GENERIC, 0x60        # code entry of what has no name
 .set RECURSION_ERROR, 0x80 # RecursionError
 .set MATCHES, 0x88        # PyErr_ExceptionMatches
 .set CLEAR, 0x90          # PyErr_Clear
 .set TRACER_AT, 0x98      # where a thread's state has its C trace function; 0: no lines are traced this way
 .set FLAG_FROM, 0xa0      # from there to the pointer to the byte that switches tracing on; 0: the function's own place does
 .set FLAG_ON, 0xa8        # what the byte is then
 .set GET_STATE, 0xb0      # PyThreadState_Get, where the state is not given; else 0
 .set CALLER_AT, 0xb8      # where the first argument leads to the caller's interpreter frame; 0: unknown
 .set CALLER_IN, 0xc0      # where what lies there has it; -1: that is it
 .set FRAMES, 0x1000       # 65536 x (interpreter frame, record)
 .set CODES, 0x101000      # 65536 x (code, pad, line table, 1: shown as its caller)

# A record is what hook() leaves on the stack for one execution of a frame.
 .set R_PAD, 0             # return address of _PyEval_EvalFrameDefault: what valgrind shows
 .set R_FRAME, 8
 .set R_TABLE, 16          # first line, lines, then 32 bytes a line: (pad, hits, thread word, unused)
 .set R_BEGUN, 24          # position at which the current statement was begun
 .set R_MEASURED, 32       # not 0: Python wants the end of the current statement
 .set R_OUTER, 40          # the thread's word while the caller ran
 .set R_SHOWN, 48          # the record as which valgrind shows this frame, usually this one
 .set R_TRACED, 56         # place of the thread's trace function, + 1 where the caller was traced; 0: left as it was
 .set R_OLD_RECORD, 64     # what the bucket in FRAMES held
 .set R_OLD_FRAME, 72
 .set R_RBX, 80
 .set R_RBP, 88            # of the caller; here points %rbp, and valgrind goes on from there
 .set R_BYTES, 96

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
0: mov CODE_AT(%r10), %rax
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
2: xor %ecx, %ecx
 mov TRACER_AT(%r10), %r9
 test %r9, %r9
 je 5f
 mov %rdi, %rax
 cmpq $0, GET_STATE(%r10)
 je 4f
 push %rdi
 push %rsi
 push %r8
 push %r10
 push %r11
 call *GET_STATE(%r10)
 pop %r11
 pop %r10
 pop %r8
 pop %rsi
 pop %rdi
 mov TRACER_AT(%r10), %r9
4: add %r9, %rax
 xor %ecx, %ecx
 cmpq $0, 16(%r11)
 setne %cl
 call switch
 or %rcx, %rax
 mov $0, %ecx
 cmovns %rax, %rcx
5: pushq (%rbx)
 pushq 8(%rbx)
 push %rcx
 pushq $0
 pushq $0
 pushq $0
 pushq $0
 pushq 16(%r11)
 push %r8
 pushq 8(%r11)
 mov %r8, (%rbx)
 mov %rsp, 8(%rbx)
 mov %rsp, R_SHOWN(%rsp)
 cmpq $0, 24(%r11)
 je 7f
 mov CALLER_AT(%r10), %r9
 test %r9, %r9
 je 7f
 mov (%rdi,%r9), %r9
 mov CALLER_IN(%r10), %rax
 test %rax, %rax
 js 6f
 mov (%r9,%rax), %r9
6: bucket %r9, %rcx, %rax
 cmp %r9, (%rcx)
 jne 7f
 mov 8(%rcx), %rcx
 mov %rcx, %rax
 sub %rsp, %rax
 cmp $0x10000, %rax      # the caller runs in this thread: its record is near
 jae 7f
 cmp %r9, R_FRAME(%rcx)
 jne 7f
 mov R_SHOWN(%rcx), %rax
 mov %rax, R_SHOWN(%rsp)
 mov R_PAD(%rax), %rcx
 mov %rcx, R_PAD(%rsp)
 lea R_RBP(%rax), %rbp
7: jmp *DEFAULT(%r10)
3: lea GENERIC(%r10), %r11
 .if OLD
 test %esi, %esi
 .else
 test %edx, %edx
 .endif
 jne 2b
 cmpq $0, MISS(%r10)
 je 2b
 push %rdi
 push %rsi
 push %rdx
 push %r8
 push %r10
 mov MISS(%r10), %rdi
 mov MISS_FORMAT(%r10), %rsi
 mov %rax, %rdx
 call ask
 pop %r10
 pop %r8
 pop %rdx
 pop %rsi
 pop %rdi
 cmp NONE(%r10), %rax
 je 0b
 lea GENERIC(%r10), %r11
 test %rax, %rax
 jne 2b
 .if OLD                 # an exception of the program's, from a signal: its function begins with it
 mov $1, %esi
 .else
 mov $1, %edx
 .endif
 jmp 2b

# Calls Python as CALL does. Returns its result, 0 where it raised an exception, 1 at the limit of the recursion, which is
# no matter of the program's.
ask:
 push %rbx
 xor %eax, %eax
 call *CALL(%r10)
 test %rax, %rax
 jne 1f
 lea hook+DATA(%rip), %rbx
 mov RECURSION_ERROR(%rbx), %rdi
 call *MATCHES(%rbx)
 test %eax, %eax
 mov $0, %eax
 je 1f
 call *CLEAR(%rbx)
 mov $1, %eax
1: pop %rbx
 ret

# Switches tracing on (%ecx: 1) or off (0) in the thread whose trace function lies at %rax, so that what is not followed
# costs nothing. Returns in %rcx what it was; -1: it is another tool's, or a profiler wants it on, and it stays.
switch:
 cmpq $0, -8(%rax)
 jne 9f
 cmpq $0, 16(%rax)
 je 9f
 push %rdx
 lea trace(%rip), %rdx
 mov FLAG_FROM(%r10), %r9
 test %r9, %r9
 je 5f
 cmp %rdx, (%rax)
 jne 8f
 mov (%rax,%r9), %r9
 neg %ecx
 and FLAG_ON(%r10), %ecx
 mov (%r9), %dl
 mov %cl, (%r9)
 xor %ecx, %ecx
 test %dl, %dl
 setne %cl
 pop %rdx
 ret
5: mov (%rax), %r9
 test %r9, %r9
 je 6f
 cmp %rdx, %r9
 jne 8f
6: neg %rcx
 and %rdx, %rcx
 mov %rcx, (%rax)
 xor %ecx, %ecx
 test %r9, %r9
 setne %cl
 pop %rdx
 ret
8: pop %rdx
9: mov $-1, %rcx
 ret

# Every pad jumps here; %rsp is R_FRAME of the record. %rbp may be another record's.
 .org 0x260
finish:
 mov (%rsp), %rcx
 cmp %rcx, (%rbx)
 jne 1f
 mov R_OLD_RECORD-8(%rsp), %rcx
 mov %rcx, 8(%rbx)
 mov R_OLD_FRAME-8(%rsp), %rcx
 mov %rcx, (%rbx)
1: mov R_TRACED-8(%rsp), %rcx
 test %rcx, %rcx
 je 2f
 push %rax
 lea hook+DATA(%rip), %r10
 mov %rcx, %rax
 and $1, %ecx
 and $-2, %rax
 call switch
 pop %rax
2: mov R_RBX-8(%rsp), %rbx
 mov R_RBP-8(%rsp), %rbp
 add $R_BYTES-8, %rsp
 ret

# int trace(word=rdi, frame=rsi, event=edx, argument): a Py_tracefunc. `word` is a ctypes integer at the thread's word.
 .org 0x2c0
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
4: mov R_OUTER(%rbx), %rax
 mov %rax, (%r14)
 cmpq $0, R_MEASURED(%rbx)
 je 8f
6: mov SLOW(%r10), %rdi
 mov SLOW_FORMAT(%r10), %rsi
 mov %r12, %rdx
 mov %r13d, %ecx
 mov %rbx, %r8
 mov %r14, %r9
 call ask
 test %rax, %rax
 jne 8f
 mov $-1, %eax           # an exception of the program's, from a signal: it goes on from this line
 jmp 10f
7:                      # no record: a frame that was begun before hook was there
8: xor %eax, %eax
10: pop %r14
 pop %r13
 pop %r12
 pop %rbx
 pop %rbp
 ret
9: xor %eax, %eax
 ret

# uint64 request(default=rdi, const uint64 arguments[6]=rsi): valgrind's client request; the default off valgrind.
 .org 0x500
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

# void forget(word=rdi): a code entry's key once its code object is gone; no object lies there.
 .org 0x530
forget:
 movq $1, (%rdi)
 ret
 .org 0x540
pad:
 nop
 jmp finish
 .org 0x548
