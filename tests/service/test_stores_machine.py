"""Any history of ingests, deletions, purges and openings ends where a plain dictionary ends."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from core.identity import document_id
from service.stores import Stores
from tests.support.crash_worker import made, mark
from tests.support.generations import bytes_on_disk, ingest

SOURCES = ("a.txt", "b.txt", "c.txt")
sources = st.sampled_from(SOURCES)
versions = st.integers(1, 4)


class StoresMachine(RuleBasedStateMachine):
    """The stores beside an oracle: version by source, and which documents are listed how."""

    @initialize()
    def open(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="sawyer-"))
        self.stores = Stores(self.directory)
        self.live: dict[str, int] = {}
        self.states: dict[str, str] = {}

    @rule(source=sources, version=versions)
    def ingests(self, source: str, version: int) -> None:
        ingest(self.stores, made(source, version))
        self.live[source] = version
        self.states = {name: state for name, state in self.states.items() if state != "deleted"}
        self.states[source] = "ready"

    @rule(source=sources)
    def begins_and_fails(self, source: str) -> None:
        self.stores.begin(document_id("default", source), "default", source, "T", "d")
        self.stores.fail(document_id("default", source), "no", "error")
        self.states[source] = "failed"

    @rule(source=sources)
    def deletes(self, source: str) -> None:
        if source in self.states:
            self.stores.hide(document_id("default", source))
            self.live.pop(source, None)
            self.states[source] = "deleted"

    @rule()
    def purges(self) -> None:
        self.stores.purge()
        self.states = {name: state for name, state in self.states.items() if state != "deleted"}
        self.nothing_else_is_on_the_disk()

    @rule(begun=st.none() | sources)
    def opens_again(self, begun: str | None) -> None:
        if begun is not None:
            self.stores.begin(document_id("default", begun), "default", begun, "T", "d")
            self.states[begun] = "ready" if begun in self.live else "failed"
        self.stores.close()
        self.stores = Stores(self.directory)
        self.states = {name: state for name, state in self.states.items() if state != "deleted"}
        self.nothing_else_is_on_the_disk()

    @invariant()
    def stores_agree_with_the_oracle(self) -> None:
        expected = [made(source, version) for source, version in self.live.items()]
        assert {record.source: record.state for record in self.stores.documents()} == self.states
        for one in expected:
            assert self.stores.text(one.document_id) == one.text
            assert self.stores.chunks([chunk.id for chunk in one.chunks]) == list(one.chunks)
        chunk_ids = {chunk.id for one in expected for chunk in one.chunks}
        table = self.stores.table("default")
        assert set(table.chunk_ids) == chunk_ids == self.stores.lexical("default").ids()
        assert len(table.window_ids) == sum(len(one.windows) for one in expected)
        if expected:
            near = self.stores.nearest("default", expected[0].vectors[0], len(table.window_ids))
            assert {name for name, _ in near} <= set(table.window_ids)
            assert near[0][1] > 0.999

    def nothing_else_is_on_the_disk(self) -> None:
        data = b"".join(bytes_on_disk(self.directory).values())
        for source in SOURCES:
            for version in range(1, 5):
                present = mark(source, version).encode() in data
                assert present == (self.live.get(source) == version)

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            self.stores.close()
            shutil.rmtree(self.directory)


def test_any_history_ends_where_a_dictionary_ends(soak: bool) -> None:
    run_state_machine_as_test(
        StoresMachine,
        settings=settings(
            max_examples=300 if soak else 5,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
