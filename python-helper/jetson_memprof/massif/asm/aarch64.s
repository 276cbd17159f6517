// The machine code of machine.py for aarch64; a test assembles it and compares, once for each frame evaluator:
//   aarch64-linux-gnu-as --defsym OLD=0|1 --defsym DATA=<distance from hook to the data> aarch64.s
// OLD=0, Python 3.9 and later:  PyObject *hook(tstate=x0, frame=x1, throwflag=w2)
// OLD=1, Python 3.6 to 3.8:     PyObject *hook(frame=x0, throwflag=w1)
// x86_64.s describes the data, the records and what each part does.

 .set DEFAULT, 0x00
 .set MISS, 0x08
 .set SLOW, 0x10
 .set LINE_NUMBER, 0x18
 .set CODE_AT, 0x20
 .set POSITION_AT, 0x28
 .set FRAME_AT, 0x30
 .set PAD_AT, 0x38         // from a record to the return address that _PyEval_EvalFrameDefault has saved, its x29 before it
 .set CALL, 0x40
 .set NONE, 0x48
 .set MISS_FORMAT, 0x50
 .set SLOW_FORMAT, 0x58
 .set GENERIC, 0x60
 .set RECURSION_ERROR, 0x80
 .set MATCHES, 0x88
 .set CLEAR, 0x90
 .set TRACER_AT, 0x98
 .set FLAG_FROM, 0xa0
 .set FLAG_ON, 0xa8
 .set GET_STATE, 0xb0
 .set CALLER_AT, 0xb8
 .set CALLER_IN, 0xc0

 .set R_X19, 16            // 0: x29, 8: x30
 .set R_FRAME, 24          // followed by the line table
 .set R_TABLE, 32
 .set R_BEGUN, 40
 .set R_MEASURED, 48
 .set R_OUTER, 56
 .set R_OLD_RECORD, 64     // followed by the frame
 .set R_SHOWN, 80
 .set R_TRACED, 88
 .set R_BYTES, 96

 .macro bucket frame, out
 lsr \out, \frame, #3
 eor \out, \out, \out, lsr #13
 and \out, \out, #0xffff
 add \out, x10, \out, lsl #4
 add \out, \out, #1, lsl #12
 .endm

hook:
 stp x29, x30, [sp, #-R_BYTES]!
 mov x29, sp
 str x19, [sp, #R_X19]
 .if OLD
 mov x8, x0
 .else
 mov x8, x1
 .endif
 adr x10, hook+DATA
 bucket x8, x19
0: ldr x9, [x10, #CODE_AT]
 ldr x9, [x8, x9]
 lsr x11, x9, #4
1: and x11, x11, #0xffff
 add x12, x10, x11, lsl #5
 add x12, x12, #0x101, lsl #12
 ldr x13, [x12]
 cmp x13, x9
 b.eq 2f
 cbz x13, 8f
 add x11, x11, #1
 b 1b
2: ldr x15, [x10, #TRACER_AT]
 cbz x15, 4f
 mov x9, x0
 ldr x16, [x10, #GET_STATE]
 cbz x16, 3f
 stp x0, x1, [sp, #-32]!
 stp x8, x12, [sp, #16]
 blr x16
 mov x9, x0
 ldp x8, x12, [sp, #16]
 ldp x0, x1, [sp], #32
 adr x10, hook+DATA
 ldr x15, [x10, #TRACER_AT]
3: add x9, x9, x15
 ldr x11, [x12, #16]
 cmp x11, #0
 cset x11, ne
 bl switch
 orr x15, x9, x11
 tbz x11, #63, 4f
 mov x15, #0
4: ldp x13, x14, [x12, #8]
 ldp x9, x11, [x19]
 stp x8, x14, [sp, #R_FRAME]
 stp xzr, xzr, [sp, #R_BEGUN]
 str xzr, [sp, #R_OUTER]
 stp x11, x9, [sp, #R_OLD_RECORD]
 mov x16, sp
 stp x16, x15, [sp, #R_SHOWN]
 stp x8, x16, [x19]
 ldr x9, [x12, #24]
 cbz x9, 6f
 ldr x9, [x10, #CALLER_AT]
 ldr x17, [x10, #PAD_AT]
 cbz x9, 6f
 cbz x17, 6f
 ldr x9, [x0, x9]
 ldr x11, [x10, #CALLER_IN]
 tbnz x11, #63, 5f
 ldr x9, [x9, x11]
5: bucket x9, x11
 ldp x14, x11, [x11]
 cmp x14, x9
 b.ne 6f
 sub x14, x11, x16
 cmp x14, #0x10, lsl #12  // the caller runs in this thread: its record is near
 b.hs 6f
 ldr x14, [x11, #R_FRAME]
 cmp x14, x9
 b.ne 6f
 ldr x29, [x11, #R_SHOWN]
 str x29, [sp, #R_SHOWN]
 ldr x13, [x29, x17]
6: mov x30, x13
 ldr x16, [x10, #DEFAULT]
 br x16
8: add x12, x10, #GENERIC
 .if OLD
 cbnz w1, 2b
 .else
 cbnz w2, 2b
 .endif
 ldr x14, [x10, #MISS]
 cbz x14, 2b
 stp x0, x1, [sp, #-32]!
 stp x2, x8, [sp, #16]
 mov x0, x14
 ldr x1, [x10, #MISS_FORMAT]
 mov x2, x9
 bl ask
 mov x9, x0
 ldp x2, x8, [sp, #16]
 ldp x0, x1, [sp], #32
 adr x10, hook+DATA
 ldr x11, [x10, #NONE]
 cmp x9, x11
 b.eq 0b
 add x12, x10, #GENERIC
 cbnz x9, 2b
 .if OLD
 mov w1, #1
 .else
 mov w2, #1
 .endif
 b 2b

ask:
 str x30, [sp, #-16]!
 ldr x16, [x10, #CALL]
 blr x16
 cbnz x0, 1f
 adr x10, hook+DATA
 ldr x0, [x10, #RECURSION_ERROR]
 ldr x16, [x10, #MATCHES]
 blr x16
 mov w0, w0
 cbz x0, 1f
 adr x10, hook+DATA
 ldr x16, [x10, #CLEAR]
 blr x16
 mov x0, #1
1: ldr x30, [sp], #16
 ret

// x9: place of the thread's trace function, x11: 1 for on, 0 for off; returns in x11 what it was, or -1.
switch:
 ldur x15, [x9, #-8]
 cbnz x15, 9f
 ldr x15, [x9, #16]
 cbz x15, 9f
 adr x16, trace
 ldr x17, [x9]
 ldr x15, [x10, #FLAG_FROM]
 neg x11, x11
 cbz x15, 5f
 cmp x17, x16
 b.ne 9f
 ldr x15, [x9, x15]
 ldr x17, [x10, #FLAG_ON]
 and x16, x17, x11
 ldrb w17, [x15]
 strb w16, [x15]
 b 7f
5: cbz x17, 6f
 cmp x17, x16
 b.ne 9f
6: and x16, x16, x11
 str x16, [x9]
7: cmp x17, #0
 cset x11, ne
 ret
9: mov x11, #-1
 ret

// Every pad jumps here. x29 may be another record's.
 .org 0x260
finish:
 ldr x9, [sp, #R_FRAME]
 ldr x10, [x19]
 cmp x9, x10
 b.ne 1f
 ldp x11, x12, [sp, #R_OLD_RECORD]
 stp x12, x11, [x19]
1: ldr x9, [sp, #R_TRACED]
 cbz x9, 2f
 adr x10, hook+DATA
 and x11, x9, #1
 and x9, x9, #-2
 bl switch
2: ldr x19, [sp, #R_X19]
 ldp x29, x30, [sp], #R_BYTES
 ret

// int trace(word=x0, frame=x1, event=w2, argument). Its own frame has the shape of hook's.
 .org 0x2c0
trace:
 cmp w2, #1
 b.eq 9f
 stp x29, x30, [sp, #-R_BYTES]!
 mov x29, sp
 stp x19, x20, [sp, #16]
 stp x21, x22, [sp, #32]
 str x23, [sp, #48]
 mov x20, x1
 mov w21, w2
 ldr x22, [x0, #16]
 adr x10, hook+DATA
 ldr x9, [x10, #FRAME_AT]
 mov x8, x1
 cbz x9, 1f
 ldr x8, [x1, x9]
1: bucket x8, x9
 ldp x11, x19, [x9]
 cmp x11, x8
 b.ne 7f
 mov x9, sp
 sub x9, x19, x9
 cmp x9, #0x10, lsl #12  // the frame runs in this thread: its record is near
 b.hs 7f
 ldp x11, x12, [x19, #R_FRAME]
 cmp x11, x8
 b.ne 7f
 cbz x12, 8f
 ldr x9, [x10, #PAD_AT]
 add x23, x19, x9
 ldur x11, [x23, #-8]
 cmp x11, x19
 b.ne 7f
 cmp w21, #3
 b.eq 4f
 cbnz w21, 2f
 ldr x9, [x22]
 str x9, [x19, #R_OUTER]
2: mov x0, x20
 ldr x16, [x10, #LINE_NUMBER]
 blr x16
 adr x10, hook+DATA
 ldr x9, [x19, #R_TABLE]
 ldp x11, x12, [x9]
 sub w0, w0, w11
 cmp w0, w12
 b.hs 7f
 ubfiz x0, x0, #5, #32
 add x9, x9, #16
 add x9, x9, x0
 ldr x11, [x9]
 cbnz w21, 3f
 cbz x11, 8f             // a generator goes on in the line in which it yielded
 str x11, [x23]
 b 8f
3: ldr x12, [x19, #R_MEASURED]
 cbnz x12, 6f
 cbz x11, 6f
 ldr x8, [x19, #R_FRAME]
 ldr x12, [x10, #POSITION_AT]
 ldr w8, [x8, x12]
 ldr x12, [x23]
 cmp x12, x11
 b.ne 5f
 ldr x12, [x19, #R_BEGUN]
 cmp w8, w12
 b.hi 8f                 // the same statement goes on
5: str x11, [x23]
 str x8, [x19, #R_BEGUN]
 ldr x12, [x9, #8]
 ldr x13, [x12]
 add x13, x13, #1
 str x13, [x12]
 ldr x12, [x9, #16]
 str x12, [x22]
 b 8f
4: ldr x9, [x19, #R_OUTER]
 str x9, [x22]
 ldr x12, [x19, #R_MEASURED]
 cbz x12, 8f
6: ldr x0, [x10, #SLOW]
 ldr x1, [x10, #SLOW_FORMAT]
 mov x2, x20
 mov w3, w21
 mov x4, x19
 mov x5, x22
 bl ask
 cbnz x0, 8f
 mov w0, #-1
 b 10f
7:                       // no record: a frame that was begun before hook was there
8: mov w0, #0
10: ldr x23, [sp, #48]
 ldp x21, x22, [sp, #32]
 ldp x19, x20, [sp, #16]
 ldp x29, x30, [sp], #R_BYTES
 ret
9: mov w0, #0
 ret

// uint64 request(default=x0, const uint64 arguments[6]=x1)
 .org 0x500
request:
 mov x3, x0
 mov x4, x1
 ror x12, x12, #3
 ror x12, x12, #13
 ror x12, x12, #51
 ror x12, x12, #61
 orr x10, x10, x10
 mov x0, x3
 ret

// void forget(word=x0)
 .org 0x530
forget:
 mov x9, #1
 str x9, [x0]
 ret
 .org 0x540
pad:
 nop
 b finish
 .org 0x548
