"""refuse.py WHAT… -- COMMAND…: starts a command to which the kernel refuses some system calls, as SELinux would.

execmem: memory that is shared, no file's, or was written to may not be made executable (EACCES). prctl, perf, ptrace: these
calls are not permitted (EPERM). It holds for all that the command starts. Linux on x86-64 and aarch64.
"""
import ctypes
import os
import struct
import sys

_CALLS = {"x86_64": {"mmap": 9, "mprotect": 10, "pkey_mprotect": 329, "prctl": 157, "perf": 298, "ptrace": 101},
          "aarch64": {"mmap": 222, "mprotect": 226, "pkey_mprotect": 288, "prctl": 167, "perf": 241, "ptrace": 117}}
_EPERM, _EACCES = 1, 13
_PROT_EXEC, _MAP_SHARED, _MAP_ANONYMOUS = 4, 1, 0x20
_LOAD, _EQUAL, _ANY_BIT, _ANSWER = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERROR = 0x7fff0000, 0x00050000
_ARGUMENTS_AT = 16
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2


def _step(code, operand, if_so=0, if_not=0):
    return struct.pack("=HBBI", code, if_so, if_not, operand)


def _argument(number):
    return _step(_LOAD, _ARGUMENTS_AT + 8 * number)


def _refuse(call, error):
    return [_step(_EQUAL, call, 0, 1), _step(_ANSWER, _ERROR | error)]


def _refuse_executable(call):
    return [_step(_EQUAL, call, 0, 3), _argument(2), _step(_ANY_BIT, _PROT_EXEC, 0, 1), _step(_ANSWER, _ERROR | _EACCES)]


def _refuse_executable_but_libraries(call):
    return [_step(_EQUAL, call, 0, 5), _argument(2), _step(_ANY_BIT, _PROT_EXEC, 0, 3),
            _argument(3), _step(_ANY_BIT, _MAP_SHARED | _MAP_ANONYMOUS, 0, 1), _step(_ANSWER, _ERROR | _EACCES)]


def _program(what):
    calls = _CALLS[os.uname().machine]
    parts = []
    if "execmem" in what:
        parts += [_refuse_executable_but_libraries(calls["mmap"]), _refuse_executable(calls["mprotect"]),
                  _refuse_executable(calls["pkey_mprotect"])]
    parts += [_refuse(calls[name], _EPERM) for name in ("prctl", "perf", "ptrace") if name in what]
    # Each begins with the call's number, whatever the one before it loaded.
    steps = [step for part in parts for step in [_step(_LOAD, 0)] + part]
    return steps + [_step(_ANSWER, _ALLOW)]


def main(arguments):
    at = arguments.index("--")
    steps = _program(arguments[:at])
    code = ctypes.create_string_buffer(b"".join(steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    for option, value, pointer in ((_PR_SET_NO_NEW_PRIVS, 1, None),
                                   (_PR_SET_SECCOMP, _FILTER, ctypes.addressof(program))):
        if libc.prctl(option, value, pointer, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")
    os.execvp(arguments[at + 1], arguments[at + 1:])


main(sys.argv[1:])
