"""The readers, a file for each kind of data, in the order in which they are asked: the first that recognises
the data reads them. The first one of a shape is that of the usual form, see `registry.reader`.
"""

from ir_trunc._read.readers import (
    answers,
    cdet,
    datasets,
    files,
    memory,
    nested,
    topics,
    traces,
    trec,
)

READERS = [
    memory.dicts, memory.named_tuples, memory.frame, trec.trec, topics.topic_file, topics.items,
    memory.plain_tuples, memory.run_object,
    traces.spans,
    cdet.change_run, cdet.change_qrels, cdet.change_topics,
    answers.squad_questions, answers.predictions, answers.answer_classes,
    nested.nested_records, nested.search_results, nested.lists_by_topic,
    memory.records, trec.answer_run, trec.answer_judgments,
    files.short_lines, files.depth_table, files.parquet_file, files.json_file, files.beir_folder,
    datasets.ir_dataset,
    files.csv_file,
    datasets.hugging_face,
]  # fmt: skip
