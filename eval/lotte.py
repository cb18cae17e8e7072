"""``python -m eval.lotte``: retrieval on LoTTE and on collections laid out like it, by Success@k.

Each passage is retrieved whole, through the windows and the words of it that the service indexes. Rankings
are written in the official form and scored from what was written. Without a data folder it runs on the
bundled sample. ``python -m eval.lotte score`` is the official evaluator, for anybody's rankings.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import InvalidValue, NotFound
from eval.command import Command, say
from eval.datasets.base import DATA_VARIABLE, data_directory
from eval.datasets.lotte import LOTTE, POOLED, QUERY_TYPES, SPLITS, TOPICS, QueryType, Split, Topic
from eval.datasets.lotte_places import LottePlace, find_lotte, official_order, sample_place
from eval.datasets.lotte_pooled import PooledTopics
from eval.embedders import embedder_named
from eval.lotte_ranking import ranking_file
from eval.lotte_report import markdown, official_lines, published_systems, write_json
from eval.lotte_run import LotteMethod, rank_topic
from eval.lotte_score import LotteScore, score_ranking
from eval.provenance import footer
from eval.significance import SEED
from service.retrieval import RETRIEVERS

PROGRAM = "python -m eval.lotte"
RULE = "a judged passage among the first k"
PLACES = 100  # passages ranked for a query, unless k asks for more


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when figures were printed."""
    command = Command.of(PROGRAM, arguments)
    if command.given[:1] == ("score",):
        asked = _score_parser().parse_args(command.given[1:])
        return command.run(asked, lambda: _score(asked, command))
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Retrieval on LoTTE and on collections laid out like it, by Success@k.",
        epilog=f"{PROGRAM} score --help: the official evaluator, for rankings that are there already.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="the data root, the set's own folder, or a folder TOPIC/SPLIT "
        f"(default: {DATA_VARIABLE}, else the bundled sample)",
    )
    parser.add_argument("--split", choices=SPLITS, help="default: dev where it is there, else test")
    parser.add_argument("--topic", nargs="+", metavar="TOPIC", help="default: every one present, and pooled")
    parser.add_argument("--type", nargs="+", choices=QUERY_TYPES, help="default: every one present")
    parser.add_argument("--k", type=int, default=5, help="of Success@k (default: 5)")
    parser.add_argument("--retriever", choices=RETRIEVERS, default="hybrid", help="default: hybrid")
    parser.add_argument("--embedder", default="minilm", metavar="NAME", help="default: minilm")
    parser.add_argument("--limit", type=int, metavar="N", help="a topic's first N passages only, for a try")
    parser.add_argument(
        "--rankings", type=Path, metavar="DIR", help="keep the rankings, as DIR/SPLIT/TOPIC.TYPE.ranking.tsv"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and provenance as JSON")
    return parser


def _score_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} score", description="LoTTE's official evaluator: Success@k of rankings in files."
    )
    parser.add_argument("--k", type=int, default=5, help="of Success@k (default: 5)")
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--data_path", type=Path, required=True, metavar="D", help="as --data of a run")
    parser.add_argument(
        "--rankings_path",
        type=Path,
        required=True,
        metavar="R",
        help="holds SPLIT/TOPIC.TYPE.ranking.tsv, or is that folder SPLIT itself",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    _check_k(options.k)
    if options.limit is not None and options.limit < 1:
        raise InvalidValue(f"--limit must be at least 1 passage, got {options.limit}")
    place = _place(options.data)
    split = place.split(options.split)
    topics = _topics(place, split, options.topic)
    say(f"data: {place.given} ({place.kind}), {split}: {', '.join(topic.name for topic in topics)}")
    method = LotteMethod(
        retriever=options.retriever,
        embedder=None if options.retriever == "lexical" else embedder_named(options.embedder),
        places=max(PLACES, options.k),
        limit=options.limit,
    )
    asked = [kind for kind in QUERY_TYPES if kind in (options.type or QUERY_TYPES)]
    with _rankings(options.rankings) as root:
        scores = _ranked_and_scored(topics, asked, method, root / split, options.k)
    published = published_systems(options.k)
    print(official_lines(scores))
    print(markdown(method.name, scores, published))
    files = (path for topic in topics for path in topic.files())
    name = f"{LOTTE.name}'s layout, {place.kind}"
    record = {**method.as_json(), **command.record(name, RULE, files, method.embedder, SEED)}
    print(f"\n{footer(record, {method.name: repr(method)})}")
    if options.json is not None:
        write_json(options.json, scores, published, record)
        say(f"wrote {options.json}")


def _score(options: argparse.Namespace, command: Command) -> None:
    _check_k(options.k)
    place = find_lotte(options.data_path)
    inner = options.rankings_path / options.split
    folder = inner if inner.is_dir() else options.rankings_path
    say(f"data: {place.given} ({place.kind}); rankings: {folder}")
    names = official_order({*TOPICS, *(topic.name for topic in place.topics(options.split))})
    scores = [
        _scored(folder, place.topic(options.split, name), name, options.split, query_type, options.k)
        for query_type in QUERY_TYPES
        for name in names
    ]
    print(official_lines(scores))
    if options.json is not None:
        used = [topic.qas_file(kind) for topic in place.topics(options.split) for kind in topic.types()]
        files = [*used, *folder.glob("*.ranking.tsv")]
        record = command.record(f"{LOTTE.name}'s layout, {place.kind}", RULE, files, None, SEED)
        write_json(options.json, scores, published_systems(options.k), record)
        say(f"wrote {options.json}")


def _ranked_and_scored(
    topics: Sequence[Topic], asked: Sequence[QueryType], method: LotteMethod, folder: Path, k: int
) -> list[LotteScore]:
    scores = []
    for topic in topics:
        types = [query_type for query_type in asked if query_type in topic.types()]
        if not types:
            say(f"{topic.name}: no {' or '.join(asked)} queries: left out")
            continue
        rank_topic(topic, types, method, folder, report=say)
        scores += [_scored(folder, topic, topic.name, topic.split, kind, k) for kind in types]
    if not scores:
        raise NotFound(f"--type must name queries that the topics have, got {', '.join(asked)}")
    return sorted(scores, key=lambda score: QUERY_TYPES.index(score.query_type))


def _scored(
    folder: Path, topic: Topic | None, name: str, split: Split, query_type: QueryType, k: int
) -> LotteScore:
    path = ranking_file(folder, name, query_type)
    return LotteScore(split, name, query_type, k, score_ranking(path, topic, query_type, k, warn=say))


def _check_k(k: int) -> None:
    if k < 1:
        raise InvalidValue(f"--k must be at least 1, got {k}")


def _place(asked: Path | None) -> LottePlace:
    directory = data_directory(asked)
    if directory is None:
        say(f"no data folder: running on the bundled sample; for the real set, {LOTTE.instructions}")
        return sample_place()
    return find_lotte(directory)


def _topics(place: LottePlace, split: Split, asked: Sequence[str] | None) -> list[Topic]:
    """The topics asked for, else all that have passages, and ``pooled``.

    Raises:
        NotFound: a topic asked for is not there, or no topic has passages.
    """
    folders = place.topics(split)
    bare = [folder.name for folder in folders if not folder.collection.exists()]
    complete = {folder.name for folder in folders} - set(bare)
    pooled = place.topic(split, POOLED)
    present = official_order(complete | ({POOLED} if isinstance(pooled, PooledTopics) else set()))
    if not present:
        raise NotFound(f"a topic must have its passages in collection.tsv, got none in {place.given}")
    unknown = [name for name in asked or () if name not in present]
    if unknown:
        raise NotFound(
            f"--topic must name topics with passages in {split} ({', '.join(present)}), got {unknown[0]}"
        )
    if bare and not asked:
        say(f"no collection.tsv, left out: {', '.join(bare)}")
    chosen = [place.topic(split, name) for name in present if not asked or name in asked]
    topics = [topic for topic in chosen if topic is not None]
    for topic in topics:
        if isinstance(topic, PooledTopics):
            say(f"{POOLED}: no such folder, so joined from {', '.join(part.name for part in topic.parts)}")
    return topics


@contextlib.contextmanager
def _rankings(asked: Path | None) -> Iterator[Path]:
    if asked is not None:
        yield asked
        return
    with tempfile.TemporaryDirectory(prefix="sawyer-rankings-") as directory:
        yield Path(directory)


if __name__ == "__main__":
    sys.exit(main())
