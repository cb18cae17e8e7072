"""What every reply has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Reply(BaseModel):
    """A reply of a native route."""

    model_config = ConfigDict(extra="ignore")  # a newer server may say more
