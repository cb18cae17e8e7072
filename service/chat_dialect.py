"""How a question is put to a chat endpoint: no two take quite the same parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.surrogates import encodable

# What a model that thinks first may think, beyond what it is to say.
THINKING_TOKENS = 4_096
# What endpoints answer to parameters that they do not take.
BAD_REQUEST = frozenset((400, 422))


@dataclass(frozen=True, slots=True)
class Question:
    """What a chat model is asked; see `core.protocols.ChatModel.complete`."""

    system: str
    user: str
    max_tokens: int
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """What an endpoint has been found to take.

    Attributes:
        limit: the parameter that bounds a reply.
        steady: whether a temperature of 0 may be asked for.
        thinks: whether the model needs room to think before it speaks.
    """

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    steady: bool = True
    thinks: bool = False

    def without(self, complaint: str) -> Dialect:
        """What is left when an endpoint complains so; the same when it complains of something else."""
        if "max_completion_tokens" in complaint:
            return replace(self, limit="max_completion_tokens")
        return replace(self, steady=False) if "temperature" in complaint else self

    def options(self, model: str, question: Question) -> dict[str, Any]:
        """The body of a request."""
        options: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": encodable(question.system)},
                {"role": "user", "content": encodable(question.user)},
            ],
            self.limit: question.max_tokens + (THINKING_TOKENS if self.thinks else 0),
        }
        if self.steady:
            options["temperature"] = 0
        if question.schema is not None:
            form = {"name": "reply", "strict": True, "schema": question.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        return options
