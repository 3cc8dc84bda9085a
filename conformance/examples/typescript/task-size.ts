// Holding a task to its size when the daemon does not: one from before 0.2.1 ignores max_task_bytes.

import { type Answer, answerOf, isObject, type Json, type JsonObject } from "./control-plane.js";

/** What a task may measure in bytes, alone and as one of a list. */
export const ONE_TASK = 24576, LISTED_TASK = 8192;

const size = (value: Json) => Buffer.byteLength(JSON.stringify(value));
const objects = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);

/** The task as it came if it keeps the bound; else cut. */
export function within(answer: Answer): Answer {
  return Buffer.byteLength(answer.text) <= ONE_TASK ? answer : answerOf(cut(answer.document, ONE_TASK));
}

/** The page as it came if each of its tasks keeps the bound; else with those cut that do not. */
export function pageWithin(answer: Answer): Answer {
  const tasks = answer.document.tasks;
  if (!Array.isArray(tasks) || tasks.every((task) => size(task) <= LISTED_TASK)) return answer;
  return answerOf({
    ...answer.document,
    tasks: tasks.map((task) => (isObject(task) ? cut(task, LISTED_TASK) : task)),
  });
}

/** What fits, in the daemon's order: metadata, the status, artifacts, then messages from the newest back. */
function cut(task: JsonObject, bound: number): JsonObject {
  if (size(task) <= bound) return task;
  const { metadata, status, artifacts, history, ...rest } = task;
  let room = bound - 256 - size(rest);
  const place = (item: JsonObject): JsonObject[] => {
    const fitting = [item, notice(item, task.id)].find((candidate) => size(candidate) < room);
    if (fitting) room -= size(fitting) + 1;
    return fitting ? [fitting] : [];
  };

  const short = { ...shortened(metadata, bound), "anet.truncated": true };
  room -= size(short);
  const { message, ...state } = isObject(status) ? status : {};
  room -= size(state);
  const result: JsonObject = { ...rest, metadata: short, status: state };
  if (isObject(message)) place(message).forEach((fitting) => (state.message = fitting));
  const kept = objects(artifacts).flatMap(place);
  if (kept.length > 0) result.artifacts = kept;
  const newest: JsonObject[] = [];
  for (const entry of objects(history).reverse()) {
    if (newest.length > 0 && size(entry) >= room) break;
    newest.unshift(...place(entry));
  }
  if (newest.length > 0) result.history = newest;
  return result;
}

/** Metadata in half the bound at most: if need be, only what the node itself says, and says shortly. */
function shortened(metadata: Json | undefined, bound: number): JsonObject {
  if (!isObject(metadata)) return {};
  if (size(metadata) <= bound / 2) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => key.startsWith("anet.") && size(value) <= 512),
  );
}

/** A message or an artifact without its content: how large it was, and where to read it. */
function notice(item: JsonObject, taskId: Json | undefined): JsonObject {
  // Another agent may have chosen the id: one that a shell would read otherwise is not written into a command.
  const id = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/.test(String(taskId)) ? String(taskId) : "<task id>";
  const mark = { "anet.truncated": true, "anet.size": size(item) };
  const text = `(${mark["anet.size"]} bytes, left out to keep the answer small; \`anet task get ${id} --full\` in a terminal shows them)`;
  const own = isObject(item.metadata) && size(item.metadata) <= 4096 ? item.metadata : {};
  return { ...item, metadata: { ...own, ...mark }, parts: [{ text, metadata: mark }] };
}
