/** Describes sweeps in words and numbers, without the DOM. */

import { plural } from "../format.js";
import { lookOf, stateOf } from "./job.js";

const METHODS = /** @type {Record<string, string>} */ ({
  SWEEP_METHOD_GRID: "every combination", SWEEP_METHOD_RANDOM: "drawn", SWEEP_METHOD_SUCCESSIVE_HALVING: "successive halving",
});

/** Returns the trials, the best one first and those without a validation last. @param {any} sweep @returns {any[]} */
export function ranked(sweep) {
  const key = (/** @type {any} */ trial) => (trial.best ? -Infinity : trial.validationCost ?? Infinity);
  return [...(sweep.trials ?? [])].sort((a, b) => (key(a) === key(b) ? a.number - b.number : key(a) - key(b)));
}

/** Returns "9 trials, successive halving, seed 7; the best 1 of 3 goes on after epoch 1, 3". @param {any} sweep */
export function planText(sweep) {
  const selections = sweep.selectionEpochs ?? [];
  const seed = Number(sweep.seed ?? 0) > 0 ? `, seed ${sweep.seed}` : "";
  const halving = selections.length > 0 ? `; the best 1 of ${sweep.factor} goes on after epoch ${selections.join(", ")}` : "";
  return `${plural(Number(sweep.trialCount ?? 0), "trial")}, ${METHODS[sweep.method] ?? sweep.method}${seed}${halving}`;
}

/** Returns how a trial's state looks. @param {any} trial @returns {import("./job.js").StateLook} */
export function trialLook(trial) {
  if (trial.dropped) return { label: "dropped", tone: "" };
  if (!trial.job) return { label: "waiting", tone: "" };
  return lookOf(stateOf(trial));
}

/** @type {(import("./job.js").Action & {states: string[]})[]} */
const ACTIONS = [
  { rpc: "PauseSweep", label: "Pause", hint: "Pauses the sweep and its running trials", states: ["QUEUED", "PREPARING", "RUNNING"] },
  { rpc: "ResumeSweep", label: "Resume", hint: "Goes on where it was", tone: "primary", states: ["PAUSED"] },
  { rpc: "StopSweep", label: "Stop with the best", hint: "Ends the running trials, and publishes the best model so far",
    states: ["QUEUED", "PREPARING", "RUNNING", "PAUSED"] },
  { rpc: "DeleteSweep", label: "Delete", hint: "Removes the sweep and the jobs of its trials; the published model stays", tone: "danger",
    question: "The trials' jobs, curves and events are removed. The model that the sweep published stays.",
    states: ["SUCCEEDED", "FAILED", "CANCELLED"] },
];

/** @param {any} sweep @returns {import("./job.js").Action[]} */
export const sweepActions = (sweep) => ACTIONS.filter(({ states }) => states.includes(stateOf(sweep)));
