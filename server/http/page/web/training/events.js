/** Follows the events of a job, over broken connections, and says them in words. */

import { ApiError, isAbort, stream } from "../api.js";
import { number } from "../format.js";
import { delay } from "../live.js";
import { lookOf, modelText } from "./job.js";

const RETRY_MS = 2000;
/** Errors after which the same call may succeed. */
const PASSING = ["NETWORK", "UNAVAILABLE", "RESOURCE_EXHAUSTED"];

/**
 * Yields the events from a sequence number on, each once, until the job ends or `signal` aborts. Calls again after the errors
 * in PASSING, and throws all others. Leaves out heartbeats.
 * @param {string} name
 * @param {number} from
 * @param {AbortSignal} signal
 * @param {(connected: boolean) => void} onConnection
 */
export async function* follow(name, from, signal, onConnection) {
  let next = from;
  while (!signal.aborted) {
    try {
      for await (const event of stream("WatchTrainingJob", { name, fromSequence: next }, { signal })) {
        onConnection(true);
        if (!Number(event.sequence ?? 0)) continue;
        next = Number(event.sequence) + 1;
        yield event;
      }
      return;
    } catch (error) {
      if (isAbort(error)) return;
      if (!(error instanceof ApiError) || !PASSING.includes(error.status)) throw error;
      onConnection(false);
      await delay(RETRY_MS, signal);
    }
  }
}

/**
 * Returns an event in words, and its kind; null for reports, which the curves show.
 * @param {any} event WatchTrainingJobResponse
 * @returns {{kind: string, text: string}|null}
 */
export function describeEvent(event) {
  const { state, log, checkpoint, resumed, model, compacted } = event;
  if (state) return { kind: lookOf(state.state ?? "").tone || "state", text: `${lookOf(state.state ?? "").label}${state.error ? `: ${state.error}` : ""}` };
  if (log) return { kind: "log", text: log.line ?? "" };
  if (checkpoint) return { kind: "quiet", text: `checkpoint of step ${number(Number(checkpoint.step ?? 0))}` };
  if (resumed) return { kind: "state", text: `continues from step ${number(Number(resumed.resumedFromStep ?? 0))}` };
  if (model) return { kind: "good", text: `published ${modelText(model.model ?? "")}${Number(model.liveStep ?? 0) ? ` after step ${number(Number(model.liveStep))}, live` : ""}` };
  if (compacted) return { kind: "quiet", text: `events ${number(Number(compacted.firstSequence ?? 0))} to ${number(Number(event.sequence))} were thinned out` };
  return null;
}
