"""TREC's Change Detection track: runs of its form are checked, and scored beside silence and perfect lists.

A list of documents belongs to a topic, one of its questions and a day; a list of questions to a topic and a
day. Scored are all questions of all topics on every day of the collection; a list that a run does not name is
empty. Means are taken over the days of a question, over the questions of a topic, and over topics.
"""

from ir_trunc.cdet._leaderboard import ChangeScores
from ir_trunc.cdet._scoring import MEASURES, ChangeCheck, check_runs, read_lists, score, universe

__all__ = ["MEASURES", "ChangeCheck", "ChangeScores", "check_runs", "read_lists", "score", "universe"]
