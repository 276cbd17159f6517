"""Notebooks: run as a script, cell by cell, and measured inside Jupyter with %%memprof."""
