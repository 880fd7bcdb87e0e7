"""What all results have in common: a JSON document and entries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, overload

Entry = TypeVar("Entry")


class _Native(Protocol):
    def document(self) -> str: ...


class Result(Generic[Entry]):
    """A result, read from its JSON document when it is first asked for."""

    _native: _Native

    def _entries(self) -> tuple[Entry, ...]:
        """The planes or lines."""
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the search, with what was measured where it was not given."""
        result: dict[str, Any] = self._document["parameters"]
        return result

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_json(self) -> str:
        """The JSON document that `planes detect --json` writes; `planes schema` prints its schema.

        >>> import json, planes
        >>> found = planes.detect(planes.synth("room", points=20_000).xyz, top=2)
        >>> json.loads(found.to_json())["format"]
        'planes-detection'
        """
        return self._native.document()

    def __len__(self) -> int:
        return len(self._entries())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries())

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self._entries()[index]
