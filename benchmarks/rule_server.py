"""A chat model for benchmarks: an OpenAI-compatible server that thinks for a fixed or varying time.

    python benchmarks/rule_server.py        prints its base URL, serves until its input ends

The model's name says what it does: ``hash-7-200`` picks by the digest of the window, with seed 7, after 200
milliseconds; ``score-7-50-350`` picks the passage of the highest score, after 50 to 350 milliseconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the command runs as a file, from anywhere

from tests.support.chat_rules import by_hash, by_score, shown  # noqa: E402 - the path comes first
from tests.support.openai_server import Request  # noqa: E402 - the path comes first

RULES = {"hash": by_hash, "score": by_score}
_PROBE = "With pleasure: it is four."  # keeps to no schema


def reply(body: Any) -> str:
    """What the model says."""
    rule, seed, *_ = body["model"].split("-")
    user = body["messages"][1]["content"]
    if not user.startswith("Paragraphs ID 1"):
        return _PROBE
    passages = shown(Request("", {}, body, 0.0))
    picked = RULES[rule]([f"{seed} {passage}" for passage in passages])
    return f"Answer: ID {picked + 1}" if picked < len(passages) else "Answer: none"


def delay(body: Any) -> float:
    """Seconds that the model takes for this request, always the same for the same one."""
    low, high = (body["model"].split("-")[2:] * 2)[:2]
    share = int(hashlib.sha256(json.dumps(body).encode()).hexdigest()[:8], 16) / 2**32
    return (int(low) + share * (int(high) - int(low))) / 1000


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    loop = asyncio.get_running_loop()
    while True:  # one connection carries many requests, as those of real endpoints do
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            break
        arrived = loop.time()
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        body = json.loads(await reader.readexactly(int(lengths[0].split(b":")[1])))
        message = {"role": "assistant", "content": reply(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        payload = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [choice],
            }
        ).encode()
        await asyncio.sleep(arrived + delay(body) - loop.time())
        start = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
        writer.write(start.encode() + payload)
        await writer.drain()
    writer.close()


async def main() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=2**22)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # the connections that clients keep open have nothing more to say


if __name__ == "__main__":
    asyncio.run(main())
