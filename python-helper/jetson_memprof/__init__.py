"""The Jetson Memory Profiler's helper: measures a Python script's memory line by line on the board it runs on."""
VERSION = "0.1.0"
