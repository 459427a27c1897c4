"""Spark's daemon of Python workers. Those that it forks have all modules, and do not look for cycles among
them after each task.
"""

import gc

import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import ir_trunc.adapters.scale  # noqa: F401

if __name__ == "__main__":
    gc.freeze()
    manager()
