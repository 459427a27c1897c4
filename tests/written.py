"""Tables as files."""


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
