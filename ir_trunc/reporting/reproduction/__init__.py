"""The tables of the papers, computed anew and put beside what is printed."""

from ir_trunc.reporting.reproduction import amigo2022, examples, webber2010  # noqa: F401
from ir_trunc.reporting.reproduction.cells import Reproduction
from ir_trunc.reporting.reproduction.declare import reproduce, reproductions

__all__ = ["Reproduction", "reproduce", "reproductions"]
