"""Readers: data of any form as rows."""
