"""Started by the supervisor in a script's place: `python run.py train.ipynb args…` runs the notebook's cells."""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
if sys.path[0] == _here:
    del sys.path[0]
sys.path.insert(0, os.path.dirname(os.path.dirname(_here)))
from jetson_memprof.notebook import running  # noqa: E402

del sys.path[0]
running.main()
