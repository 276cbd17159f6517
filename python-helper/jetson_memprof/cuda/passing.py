"""What may go wrong in a look because of where the program is just then: the next one may succeed."""
import sys

#: Up to Python 3.9 a RecursionError that is caught lets the program go on beyond the limit, where Python aborts it: it is
#: the program's then, which is at its limit as well.
PASSING = (RecursionError, MemoryError) if sys.version_info >= (3, 10) else (MemoryError,)
