"""The daemon's control plane: where it is, how it is asked, what its answers become."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

Json = dict[str, Any]


class Refusal(Exception):
    """A call that fails. The sentence is all that the caller sees of it; the reason code stays inside."""

    def __init__(self, sentence: str, reason: Any = None) -> None:
        super().__init__(sentence)
        self.reason = reason


ROUTES = frozenset(
    "/agents/list /agents/card /tasks/send /tasks/get /tasks/list /tasks/wait /tasks/cancel /tasks/reply /tasks/pay "
    "/balance /evidence /status /inbound/pending /payments/status".split()
)
"""Everything that this server can ask of the daemon. No argument becomes a part of a path."""


@dataclass
class Answer:
    """A JSON object, and its text as it is given to the caller: the daemon's own spelling wherever possible."""

    document: Json
    text: str

    @classmethod
    def of(cls, document: Json) -> Answer:
        return cls(document, encoded(document))


class ControlPlane:
    """The daemon of this node, asked over HTTP on the loopback."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def ask(self, route: str, body: Json) -> Answer:
        """Asks once, never twice. Raises Refusal with the daemon's own sentence if it refuses."""
        if route not in ROUTES:
            raise ValueError(f"{route} is none of this server's routes")
        host, port, token = located()
        url = httpx2.URL(scheme="http", host=host, port=port, path=route)
        try:
            content = json.dumps(body, allow_nan=False)
        except ValueError as error:
            raise Refusal("The arguments hold a number that is too large for JSON.") from error
        try:
            answer = await self.client.post(url, content=content, headers={"Authorization": f"Bearer {token}"})
        except (httpx2.HTTPError, OSError) as error:
            raise Refusal(f"The anet daemon at {host}:{port} does not answer; start it with `anet up`.") from error
        spelled = decoded(answer.content)
        document = whole_characters(spelled) if rb"\ud" in answer.content.lower() else spelled
        if answer.is_success:
            if not isinstance(document, dict):
                raise Refusal(f"The anet daemon gave no usable answer to {route}.")
            return Answer(document, answer.content.decode().strip()) if document == spelled else Answer.of(document)
        refused = document if isinstance(document, dict) else {}
        sentence = refused.get("error")
        if not isinstance(sentence, str) or not sentence.strip():
            sentence = f"The anet daemon answered {route} with HTTP status {answer.status_code}."
        raise Refusal(sentence, refused.get("reason"))


def located() -> tuple[str, int, str]:
    """Host, port and token, read anew for each call: a restarted daemon may have changed all three."""
    directory = Path(os.environ.get("ANET_DATA_DIR") or os.environ.get("ANET_HOME") or Path.home() / ".anet")
    try:
        address = str(json.loads((directory / "config.json").read_text("utf-8"))["control_addr"])
        token = (directory / "control_token.txt").read_text("ascii").strip()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(f"No anet daemon has run in the data directory {directory}; start one with `anet up`.") from error
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not is_loopback(host) or not port.isdigit():
        raise Refusal(f"The control address {address} is not one of this machine, so nothing was sent to it.")
    return host, int(port), token


def is_loopback(host: str) -> bool:
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def decoded(raw: bytes) -> Any:
    """The JSON value of a body, or None for anything that is none."""
    try:
        return json.loads(raw.decode(), parse_constant=rejected)
    except (ValueError, RecursionError):
        return None


def whole_characters(value: Any) -> Any:
    """Half of a surrogate pair is JSON, but no character: the SDK's writer would end the session over it."""
    return json.loads(encoded(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def rejected(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def encoded(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@asynccontextmanager
async def connected(_: object) -> AsyncIterator[ControlPlane]:
    """One client for the session. No proxy, no redirect, and no connection kept for a daemon that may be gone."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    timeout = httpx2.Timeout(900, connect=10)
    async with httpx2.AsyncClient(trust_env=False, limits=limits, timeout=timeout) as client:
        yield ControlPlane(client)
