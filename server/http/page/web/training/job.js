/** Describes training jobs in words and numbers, without the DOM. */

import { durationText, number, percent, secondsOf, span } from "../format.js";

/** @typedef {{label: string, tone: "good"|"warn"|"bad"|""}} StateLook */

const STATES = /** @type {Record<string, StateLook>} */ ({
  QUEUED: { label: "queued", tone: "" }, PREPARING: { label: "preparing", tone: "warn" }, RUNNING: { label: "running", tone: "good" },
  PAUSING: { label: "pausing", tone: "warn" }, PAUSED: { label: "paused", tone: "warn" }, CANCELLING: { label: "cancelling", tone: "warn" },
  STOPPING: { label: "stopping", tone: "warn" }, SUCCEEDED: { label: "succeeded", tone: "good" }, FAILED: { label: "failed", tone: "bad" },
  CANCELLED: { label: "cancelled", tone: "" },
});
const ENDED = new Set(["SUCCEEDED", "FAILED", "CANCELLED"]);
const END_REASONS = /** @type {Record<string, string>} */ ({
  ALL_EPOCHS: "all epochs are done", NO_IMPROVEMENT: "no better validation came", EPOCH_LIMIT: "the epoch limit was reached",
  TIME_LIMIT: "the time limit was reached", STOPPED: "it was stopped",
});

/** Returns "RUNNING" for a job's "JOB_STATE_RUNNING". @param {any} job @returns {string} */
export const stateOf = (job) => (job.state ?? "JOB_STATE_UNSPECIFIED").replace("JOB_STATE_", "");

/** @param {string} state @returns {StateLook} */
export const lookOf = (state) => STATES[state.replace("JOB_STATE_", "")] ?? { label: state.toLowerCase(), tone: "" };

/** Whether the job has ended. @param {any} job */
export const hasEnded = (job) => ENDED.has(stateOf(job));

/** Returns the last part of a resource's name. @param {string} name */
export const idOf = (name) => name.slice(name.lastIndexOf("/") + 1);

/** Returns the name of the model that the job trains, else the name of its configuration or its id. @param {any} job @returns {string} */
export function titleOf(job) {
  const override = (job.spec?.overrides ?? []).map((/** @type {string} */ one) => /^name=(.+)$/.exec(one)?.[1]).filter(Boolean).pop();
  const named = /^name:[ \t]*["']?([^"'#\s]+)/m.exec(job.spec?.configYaml ?? "")?.[1];
  return override ?? named ?? job.spec?.configName ?? idOf(job.name);
}

/** Returns the finished share of the steps, 0 to 1. @param {any} job */
export function shareOf(job) {
  if (stateOf(job) === "SUCCEEDED") return 1;
  const { step, totalSteps } = job.progress ?? {};
  return Number(totalSteps) > 0 ? Math.min(1, Number(step ?? 0) / Number(totalSteps)) : 0;
}

/**
 * Returns the seconds that the remaining steps take, or NaN if that is unknown. Whole epochs count with their validation.
 * @param {any} progress
 */
export function remainingSeconds(progress) {
  const { step, totalSteps, totalEpochs, secondsPerEpoch, secondsPerStep } = progress ?? {};
  const left = Number(totalSteps) - Number(step ?? 0);
  if (!(left >= 0)) return NaN;
  if (secondsPerEpoch !== undefined && Number(totalEpochs) > 0) return (left * secondsPerEpoch * Number(totalEpochs)) / Number(totalSteps);
  return secondsPerStep === undefined ? NaN : left * secondsPerStep;
}

/** Returns what a list says about the job's time: "about 3 min left", "took 2 h 4 min", "number 2 in the queue". @param {any} job */
export function timeText(job) {
  const state = stateOf(job);
  if (state === "QUEUED") return job.queuePosition > 1 ? `number ${job.queuePosition} in the queue` : "next in the queue";
  if (state === "RUNNING") {
    const left = remainingSeconds(job.progress);
    return Number.isFinite(left) ? `about ${span(left)} left` : "just started";
  }
  return hasEnded(job) && job.startTime ? `took ${span(secondsOf(job.runTime))}` : "";
}

/** Returns a cost with about four significant digits, and at most three decimals. @param {number|undefined} value */
export function costText(value) {
  return value === undefined ? "–" : number(value, value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

/** @param {any} progress TrainingProgress @returns {string} "4.2 % above nearest neighbour". */
export function gapText(progress) {
  const gap = progress?.validationGap;
  if (gap === undefined) return "–";
  return `${percent(Math.abs(gap), 1)} ${gap < 0 ? "below" : "above"} ${progress.validationReference || "the reference"}`;
}

/** Returns a sentence on how the job ended or what it waits for; empty if there is nothing to say. @param {any} job */
export function outcomeText(job) {
  const state = stateOf(job);
  if (state === "FAILED") return job.error?.message ?? "The job failed.";
  if (state === "SUCCEEDED") {
    const reason = END_REASONS[(job.endReason ?? "").replace("TRAINING_END_REASON_", "")];
    const weights = job.publishedWeights;
    const epoch = weights?.epoch ? ` with the weights of epoch ${weights.epoch}` : "";
    return [reason && `Ended since ${reason}.`, job.model && `Published ${modelText(job.model)}${epoch}.`].filter(Boolean).join(" ");
  }
  if (state === "CANCELLED") return "Cancelled: no model was published at its end.";
  if (job.stopRequested) return "Ends with a model as soon as it runs.";
  if (state === "QUEUED") return `Waits for its turn: ${timeText(job)}.`;
  return state === "PAUSED" ? "Paused at a checkpoint. It continues when you resume it, also after a restart of the server." : "";
}

/** Returns "tiny, version 3" for "models/tiny/versions/3". @param {string} name */
export const modelText = (name) => name.replace(/^models\//, "").replace("/versions/", ", version ");

/**
 * @typedef {object} Action Something that can be done with a job now.
 * @property {string} rpc
 * @property {string} label
 * @property {string} hint
 * @property {string} [tone] A class of the button.
 * @property {string} [question] Asked before.
 */

const ACTIONS = /** @type {(Action & {states: string[]})[]} */ ([
  { rpc: "PauseTrainingJob", label: "Pause", hint: "Frees the device, at a checkpoint", states: ["QUEUED", "PREPARING", "RUNNING"] },
  { rpc: "ResumeTrainingJob", label: "Resume", hint: "Continues from the checkpoint", tone: "primary", states: ["PAUSED"] },
  { rpc: "PublishTrainingJob", label: "Publish now", hint: "Publishes the current weights; the training continues", states: ["RUNNING"] },
  { rpc: "StopTrainingJob", label: "Stop with a model", hint: "Ends after a last validation, and publishes",
    states: ["QUEUED", "PREPARING", "RUNNING", "PAUSED"] },
  { rpc: "CancelTrainingJob", label: "Cancel", hint: "Ends without a model", tone: "danger",
    question: "The training ends without publishing a model. To keep its result, stop it instead.",
    states: ["QUEUED", "PREPARING", "RUNNING", "PAUSING", "PAUSED", "STOPPING"] },
  { rpc: "DeleteTrainingJob", label: "Delete", hint: "Removes the job with its checkpoints; its models stay", tone: "danger",
    question: "The job's events, curves and checkpoints are removed. Models that it published stay.", states: [...ENDED] },
]);

/** @param {any} job @returns {Action[]} */
export function actionsOf(job) {
  return ACTIONS.filter(({ rpc, states }) => states.includes(stateOf(job)) && !(rpc === "StopTrainingJob" && job.stopRequested));
}

/**
 * Returns the labels of "team=north, run=7". If a part is not KEY=VALUE, also returns the part as `wrong`.
 * @param {string} text
 * @returns {{labels: Record<string, string>, wrong?: string}}
 */
export function parseLabels(text) {
  const labels = /** @type {Record<string, string>} */ ({});
  for (const part of text.split(",").map((one) => one.trim()).filter(Boolean)) {
    const at = part.indexOf("=");
    if (at < 1) return { labels, wrong: part };
    labels[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  return { labels };
}

/** Returns the Duration of a number of minutes that a user typed; undefined if there is none. @param {string} text */
export const minutesText = (text) => (Number(text) > 0 ? durationText(Number(text) * 60) : undefined);
