/** Calls the server's RPCs as JSON over HTTP. Every path of the API that the page uses is in this module. */

import { EventReader } from "./sse.js";
import { token } from "./store.js";

/**
 * Verb and path by RPC. A `{field}` takes the value of that field of the message: a name such as "trainingJobs/7".
 * @type {Record<string, string>}
 */
const PATHS = {
  Solve: "POST /v1/solve",
  StreamSolve: "POST /v1/solve:stream",
  CheckSolution: "POST /v1/solutions:check",
  ValidateInstance: "POST /v1/instances:validate",
  ConvertInstance: "POST /v1/instances:convert",
  CreateSolveJob: "POST /v1/solveJobs",
  ListSolveJobs: "GET /v1/solveJobs",
  GetSolveJob: "GET /v1/{name}",
  WatchSolveJob: "GET /v1/{name}:watch",
  StopSolveJob: "POST /v1/{name}:stop",
  DeleteSolveJob: "DELETE /v1/{name}",
  ListDatasets: "GET /v1/datasets",
  ListModels: "GET /v1/models",
  GetModel: "GET /v1/{name}",
  EvaluateModel: "POST /v1/{model}:evaluate",
  SetModelAlias: "PUT /v1/{name}",
  DeleteModelAlias: "DELETE /v1/{name}",
  LoadModel: "POST /v1/{name}:load",
  UnloadModel: "POST /v1/{name}:unload",
  DeleteModelVersion: "DELETE /v1/{name}",
  GetServerInfo: "GET /v1/server",
  GetServerStats: "GET /v1/server/stats",
  SetLogLevel: "PUT /v1/server/logLevel",
  CreateTrainingJob: "POST /v1/trainingJobs",
  ListTrainingJobs: "GET /v1/trainingJobs",
  GetTrainingJob: "GET /v1/{name}",
  WatchTrainingJob: "GET /v1/{name}:watch",
  GetTrainingHistory: "GET /v1/{name}/history",
  DeleteTrainingJob: "DELETE /v1/{name}",
  CancelTrainingJob: "POST /v1/{name}:cancel",
  StopTrainingJob: "POST /v1/{name}:stop",
  PauseTrainingJob: "POST /v1/{name}:pause",
  ResumeTrainingJob: "POST /v1/{name}:resume",
  PublishTrainingJob: "POST /v1/{name}:publish",
  ListSweeps: "GET /v1/sweeps",
  GetSweep: "GET /v1/{name}",
  StopSweep: "POST /v1/{name}:stop",
  PauseSweep: "POST /v1/{name}:pause",
  ResumeSweep: "POST /v1/{name}:resume",
  DeleteSweep: "DELETE /v1/{name}",
};

/** An error of an RPC, or of the way to it. */
export class ApiError extends Error {
  /**
   * @param {string} status Name of google.rpc.Code, or "NETWORK".
   * @param {string} message
   * @param {any[]} [details] google.rpc details in protobuf's JSON form.
   */
  constructor(status, message, details = []) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.details = details;
  }

  /** Field violations: [{field: "vehicles[0].count", description: "..."}]. */
  get fields() {
    return this.details.flatMap((detail) => detail.fieldViolations ?? []);
  }
}

/**
 * Returns the query of a message: nested fields with dots, lists repeated.
 * @param {Record<string, any>} message
 * @param {string} [prefix]
 * @returns {[string, string][]}
 */
function queryOf(message, prefix = "") {
  return Object.entries(message).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((one) => /** @type {[string, string]} */ ([prefix + name, String(one)]));
    if (typeof value === "object") return queryOf(value, `${prefix}${name}.`);
    return [/** @type {[string, string]} */ ([prefix + name, String(value)])];
  });
}

/**
 * Returns verb, URL and body of a call.
 * @param {string} rpc
 * @param {Record<string, any>} message
 */
export function requestOf(rpc, message) {
  const [verb, template] = PATHS[rpc].split(" ");
  const rest = { ...message };
  const path = template.replace(/\{(\w+)\}/g, (_, field) => {
    delete rest[field];
    return String(message[field]).split("/").map(encodeURIComponent).join("/");
  });
  if (verb === "POST" || verb === "PUT") return { verb, url: path, body: JSON.stringify(rest) };
  const query = new URLSearchParams(queryOf(rest)).toString();
  return { verb, url: query ? `${path}?${query}` : path, body: undefined };
}

/** @param {Response} response */
async function errorOf(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return new ApiError(error.status, error.message, error.details);
  } catch {
    return new ApiError("UNKNOWN", `HTTP ${response.status}: ${text.slice(0, 200)}`);
  }
}

/**
 * @param {string} rpc
 * @param {Record<string, any>} message
 * @param {AbortSignal} [signal]
 */
async function send(rpc, message, signal) {
  const { verb, url, body } = requestOf(rpc, message);
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  let response;
  try {
    response = await fetch(url, { method: verb, headers, body, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("NETWORK", "The server does not answer. It may be stopped, or the network may be down.");
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/**
 * Calls an RPC with one response: `await call("ListModels", {pageSize: 50})`. Throws ApiError, and an AbortError after
 * `signal`.
 * @param {string} rpc Its name in the .proto files.
 * @param {Record<string, any>} [message] In protobuf's JSON form.
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function call(rpc, message = {}, options = {}) {
  return (await send(rpc, message, options.signal)).json();
}

/**
 * Calls an RPC with a stream of responses: `for await (const message of stream("StreamSolve", request, {signal}))`.
 * Leaving the loop or aborting cancels the call. Throws like `call`.
 * @param {string} rpc
 * @param {Record<string, any>} [message]
 * @param {{signal?: AbortSignal}} [options]
 * @returns {AsyncGenerator<any>}
 */
export async function* stream(rpc, message = {}, options = {}) {
  const { signal } = options;
  const response = await send(rpc, message, signal);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  try {
    while (true) {
      const { done, value } = await read(reader, signal);
      if (done) throw new ApiError("UNAVAILABLE", "The connection ended before the answer was complete.");
      for (const { event, data } of events.push(decoder.decode(value, { stream: true }))) {
        if (event === "end") return;
        const parsed = JSON.parse(data);
        if (event === "error") throw new ApiError(parsed.error.status, parsed.error.message, parsed.error.details);
        yield parsed;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {ReadableStreamDefaultReader<Uint8Array>} reader @param {AbortSignal} [signal] */
async function read(reader, signal) {
  try {
    return await reader.read();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("NETWORK", "The connection to the server broke.");
  }
}

/** Returns the bytes as base64, as `bytes` fields want them. @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** @param {string} text @returns {string} The UTF-8 of the text as base64. */
export const textToBase64 = (text) => toBase64(new TextEncoder().encode(text));

/** @param {string} base64 @returns {string} The text of a `bytes` field that holds UTF-8. */
export function textOfBase64(base64) {
  return new TextDecoder().decode(Uint8Array.from(atob(base64 ?? ""), (c) => c.charCodeAt(0)));
}

/** Whether the error is the user's own cancellation. @param {any} error */
export const isAbort = (error) => error?.name === "AbortError";
