// Where the anet daemon is, and how it is asked.

import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json };

/** What the daemon answered: the document, and the text that it came in, which alone keeps every digit. */
export interface Answer {
  text: string;
  document: JsonObject;
}

/** A call that failed. Its message is all that the caller sees; the daemon's reason code is not part of it. */
export class Refusal extends Error {
  constructor(message: string, readonly reason?: Json) {
    super(message);
  }
}

/** The routes that may be called; there is no way to any other. */
export type Route =
  | "/agents/list" | "/agents/card" | "/tasks/send" | "/tasks/get" | "/tasks/list" | "/tasks/wait" | "/tasks/cancel"
  | "/tasks/reply" | "/tasks/pay" | "/balance" | "/evidence" | "/status" | "/inbound/pending" | "/payments/status";

/** Longer than the longest wait that a tool can ask for. */
const PATIENCE_MS = 15 * 60 * 1000;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function answerOf(document: JsonObject): Answer {
  return { text: JSON.stringify(document), document };
}

/** One POST to the daemon, never repeated. */
export async function ask(route: Route, body: JsonObject, signal: AbortSignal): Promise<Answer> {
  const { host, port, token } = await controlPlane();
  let status: number, bytes: Buffer;
  try {
    ({ status, bytes } = await post(host, port, token, route, body, signal));
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
      throw new Refusal(`No anet daemon answers at ${host}:${port}; start it with \`anet up\`.`);
    }
    throw new Refusal(`The anet daemon at ${host}:${port} broke off its answer to ${route}.`);
  }
  const text = decoded(bytes);
  const document = text === undefined ? undefined : parsed(text);
  if (status < 200 || status > 299) {
    const { error: sentence, reason } = isObject(document) ? document : {};
    throw new Refusal(
      typeof sentence === "string" && sentence ? sentence : `The daemon answered ${route} with HTTP status ${status}.`,
      reason,
    );
  }
  if (text === undefined || !isObject(document)) {
    throw new Refusal(`The daemon gave no usable answer to ${route}.`);
  }
  return { text: text.trim(), document };
}

/** Address and token, read for each call: a daemon may come back on another port and with another token. */
async function controlPlane(): Promise<{ host: string; port: string; token: string }> {
  const directory = process.env.ANET_DATA_DIR || process.env.ANET_HOME || join(homedir(), ".anet");
  let address: unknown, token: string;
  try {
    address = JSON.parse(await readFile(join(directory, "config.json"), "utf8")).control_addr;
    token = (await readFile(join(directory, "control_token.txt"), "utf8")).trim();
  } catch {
    throw new Refusal("No anet daemon has run in this data directory; start one with `anet up`.");
  }
  // The token goes to this machine alone, so anything else is refused before it is sent.
  const parts = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/i.exec(String(address));
  if (!parts) throw new Refusal("The control address in config.json is not one on this machine, so it is not used.");
  return { host: parts[1]!.replace(/[[\]]/g, ""), port: parts[2]!, token };
}

// node:http and not fetch: it follows no redirect, knows no proxy, and sets no bound of five minutes on a wait.
function post(host: string, port: string, token: string, path: Route, body: JsonObject, signal: AbortSignal) {
  return new Promise<{ status: number; bytes: Buffer }>((resolve, reject) => {
    const payload = Buffer.from(JSON.stringify(body));
    const sending = request(
      {
        host, port, path,
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "Content-Length": payload.length,
        },
        agent: false, // a new connection each time: a kept one may belong to a daemon that is gone
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
      },
    );
    sending.on("error", reject);
    sending.end(payload);
  });
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
