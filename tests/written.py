"""Tables and records as files."""

import json


def to_file(frame, path):
    """A frame as a file of the form that the name ends in."""
    match path.suffix:
        case ".csv" | ".tsv":
            frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
        case ".jsonl" | ".json":
            frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")
        case ".parquet":
            frame.to_parquet(path)
    return path


def json_lines(path, records, **options):
    """Records as a file of JSON, one after the other."""
    path.write_text("".join(f"{json.dumps(record, **options)}\n" for record in records), encoding="utf-8")
    return path


def put(record, path, value):
    """The record with a value at a path of keys and places."""
    name, _, rest = path.partition(".")
    if name.isdigit():
        return [put({}, rest, value) if rest else value]
    inner = record.get(name, {})
    return record | {name: put(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}
