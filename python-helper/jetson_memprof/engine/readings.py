"""When RSS is read. Both implementations keep to it; the accelerator is told the times.

A reading costs about as much as the events around it, so the default mode has one in `PRICE_SECONDS` on average. Would
one be due as often, a loop of short lines had them all, and what the next line takes were found at the loop's next turn,
and stood there. So they are due at the first event a little later than that, and what is left over adds up to saved ones:
for events that come before one is due, at the end of a line that had none lately.
"""

#: A page fault costs 0.25 to 2 us, so little can move in between; in exact mode a reading itself costs as much as this.
GATE_SECONDS, EXACT_GATE_SECONDS = 12.5e-6, 1.5e-6
PRICE_SECONDS = 10e-6
#: So many are saved at most.
SAVED_READINGS = 64
#: After a reading its line has no saved one for so many gates: a loop of eight lines cannot use all that is saved.
REST_GATES = 40
#: Lines that are so far apart, or a multiple of it, share that: a power of two.
LINES_KNOWN = 64


def gate_and_price(exact):
    """Seconds after a reading until the next one is due, and what each is paid with; 0: none are saved."""
    return (EXACT_GATE_SECONDS, 0.0) if exact else (GATE_SECONDS, PRICE_SECONDS)
