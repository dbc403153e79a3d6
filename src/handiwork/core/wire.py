"""JSON in and out, and the frozen form in which schemas are handed around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, NoReturn


def _plain(value: Any) -> Any:
    """The JSON form of what `json` doesn't know: models, dataclasses, sets, paths, dates, bytes."""
    for method in ("model_dump", "isoformat"):
        if callable(getattr(value, method, None)) and not isinstance(value, type):
            return getattr(value, method)()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return _plain_collection(value)


def _plain_collection(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "backslashreplace")
    return list(value) if isinstance(value, Iterable) else str(value)


# What `json.JSONEncoder.encode` makes anew for every text, which takes as long as writing a short one.
_write = c_make_encoder(None, _plain, encode_basestring, None, ": ", ", ", False, False, True)


def dumps(value: Any) -> str:
    """JSON text of *value*; non-ASCII stays as it is. Keys that JSON can't have become text.

    Raises `RecursionError` for what contains itself.
    """
    try:
        return "".join(_write(value, 0))
    except TypeError:
        return "".join(_write(_text_keys(value), 0))


def _text_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k if isinstance(k, str) else str(k): _text_keys(v) for k, v in value.items()}
    return [_text_keys(v) for v in value] if isinstance(value, (list, tuple)) else value


def tool_error(message: object, **extra: Any) -> str:
    """`{"error": message, ...}` as JSON text."""
    return dumps({"error": str(message), **extra})


def tool_result(data: Any = None, **fields: Any) -> str:
    """*data*, or the keywords as an object, as JSON text."""
    return dumps(fields if data is None else data)


def copy_json(value: Any) -> Any:
    """A deep copy of JSON data as plain dicts and lists: thaws what `freeze` froze."""
    if isinstance(value, Mapping):
        return {k: copy_json(v) for k, v in value.items()}
    return [copy_json(v) for v in value] if isinstance(value, (list, tuple)) else value


def name_of_definition(definition: Mapping[str, Any]) -> str:
    """The tool's name in a definition, with or without OpenAI's envelope."""
    return str((definition.get("function") or definition)["name"])


def is_loaded(definition: Mapping[str, Any]) -> bool:
    """Whether the model reads this definition with the prompt: its provider doesn't keep it until it is found."""
    return definition.get("defer_loading") is not True


def _frozen(*_: Any, **__: Any) -> NoReturn:
    raise TypeError("frozen; deepcopy to change")


class FrozenDict(dict[str, Any]):
    """A dict that can be read, printed and sent, but not changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _frozen

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = copy_json(self)
        return plain

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """A list that can be read, printed and sent, but not changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = append = extend = insert = pop = remove = clear = sort = reverse = _frozen
    __iadd__ = __imul__ = _frozen

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        plain: list[Any] = copy_json(self)
        return plain

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


_ATOMS = frozenset({str, int, float, bool, type(None), FrozenDict, FrozenList})


def freeze(value: Any) -> Any:
    """A deep-frozen copy of JSON data: dicts and lists keep their types for every consumer."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is dict or isinstance(value, Mapping):
        return FrozenDict({k: freeze(v) for k, v in value.items()})
    return FrozenList(map(freeze, value)) if isinstance(value, (list, tuple)) else value
