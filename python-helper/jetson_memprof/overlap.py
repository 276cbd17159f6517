"""Said by who measures lines before and after, of whatever engine."""

OVERLAP = ("Lines that were measured before and after ran in several threads at once (%s:%d was one). The heap is the "
           "whole process's, so what one thread took in between is in the other's difference too. Measure lines of one thread "
           "only, or run with one thread.")
