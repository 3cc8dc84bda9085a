"""Holding a task to its size when the daemon does not: one from before 0.2.1 ignores `max_task_bytes`."""

from __future__ import annotations

import copy
import re

from control_plane import Answer, Json, encoded

ONE_TASK, LISTED_TASK = 24576, 8192
"""What a task may measure, in bytes: alone, and as one of a list."""


def size(value: object) -> int:
    return len(encoded(value).encode())


def within(answer: Answer, bound: int) -> Answer:
    """The task as it came if it keeps the bound; else cut here, for a daemon that does not know max_task_bytes."""
    if len(answer.text) <= bound and len(answer.text.encode()) <= bound:
        return answer
    return Answer.of(cut(answer.document, bound))


def cut(task: Json, bound: int) -> Json:
    """What fits, in the daemon's order: metadata, the status, artifacts, then messages from the newest back."""
    if size(task) <= bound:
        return task
    task = copy.copy(task)
    task_id = str(task.get("id", ""))
    room = bound - 256 - len(task_id) - size(task.get("contextId"))

    def placed(item: Json) -> list[Json]:
        nonlocal room
        for candidate in (item, notice(item, task_id)):
            if size(candidate) < room:
                room -= size(candidate) + 1
                return [candidate]
        return []

    metadata = dict(task.get("metadata") or {})
    if size(metadata) > bound // 2:
        metadata = {name: value for name, value in metadata.items() if name.startswith("anet.") and size(value) <= 512}
    task["metadata"] = {**metadata, "anet.truncated": True}
    room -= size(task["metadata"])
    status = dict(task.get("status") or {})
    if message := status.pop("message", None):
        for fitting in placed(message):
            status["message"] = fitting
    task["status"] = status
    if artifacts := task.pop("artifacts", None):
        task["artifacts"] = [fitting for artifact in artifacts for fitting in placed(artifact)]
    newest: list[Json] = []
    for message in reversed(task.pop("history", None) or []):
        if newest and size(message) >= room:
            break
        newest = placed(message) + newest
    if newest:
        task["history"] = newest
    return task


def notice(item: Json, task_id: str) -> Json:
    """A message or an artifact without its content: how large it was, and where to read it."""
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}", task_id)
    mark = {"anet.truncated": True, "anet.size": size(item)}
    text = (
        f"({mark['anet.size']} bytes, left out to keep the answer small; "
        f"`anet task get {task_id if plain else '<task id>'} --full` in a terminal shows them)"
    )
    own = item.get("metadata") or {}
    return {
        **item,
        "metadata": {**(own if size(own) <= 4096 else {}), **mark},
        "parts": [{"text": text, "metadata": mark}],
    }
