/** The arithmetic of the server's figures, without the DOM. Counters only grow; two answers give an interval. */

import { number, span } from "../format.js";

/** @typedef {{upperBound?: number|string, count?: string|number}} Bucket */
/** @typedef {{buckets?: Bucket[], count?: string|number, sumSeconds?: number}} Histogram */

/** @param {any} value An int64, left out if 0. */
export const count = (value) => Number(value ?? 0);

/** Returns the values that came between two histograms. @param {Histogram|undefined} after @param {Histogram|undefined} before @returns {Histogram} */
export function since(after, before) {
  return {
    buckets: (after?.buckets ?? []).map((bucket, index) => ({ upperBound: bucket.upperBound, count: count(bucket.count) - count(before?.buckets?.[index]?.count) })),
    count: count(after?.count) - count(before?.count),
    sumSeconds: (after?.sumSeconds ?? 0) - (before?.sumSeconds ?? 0),
  };
}

/** Returns the sum of histograms with equal bounds. @param {Histogram[]} all @returns {Histogram} */
export function sum(all) {
  const buckets = (all[0]?.buckets ?? []).map(({ upperBound }, index) => ({
    upperBound, count: all.reduce((total, one) => total + count(one.buckets?.[index]?.count), 0) }));
  return { buckets, count: all.reduce((total, one) => total + count(one.count), 0), sumSeconds: all.reduce((total, one) => total + (one.sumSeconds ?? 0), 0) };
}

/**
 * Returns the quantile in seconds, interpolated within its bucket; NaN without values. Returns the last finite bound for a
 * quantile beyond this bound.
 * @param {Histogram} histogram
 * @param {number} share 0.5 for the median.
 */
export function quantile(histogram, share) {
  const wanted = count(histogram.count) * share;
  if (wanted <= 0) return NaN;
  let below = 0;
  let lower = 0;
  for (const bucket of histogram.buckets ?? []) {
    const upper = Number(bucket.upperBound ?? 0);
    const inside = count(bucket.count);
    if (inside > 0 && below + inside >= wanted) return Number.isFinite(upper) ? lower + ((upper - lower) * (wanted - below)) / inside : lower;
    below += inside;
    if (Number.isFinite(upper)) lower = upper;
  }
  return NaN;
}

/** Returns a latency: "0.4 ms", "12 ms", "3.2 s"; "–" if there is none. @param {number} seconds */
export function latency(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds >= 1) return span(seconds);
  const ms = seconds * 1000;
  return `${number(ms, ms < 1 ? 2 : ms < 10 ? 1 : 0)} ms`;
}

/** @param {any} rpc RpcStats @returns {number} Ended requests that failed. Callers who leave cancel their streams, which is no failure. */
export const failures = (rpc) => (rpc.outcomes ?? []).filter((/** @type {any} */ one) => one.code !== "OK" && one.code !== "CANCELLED").reduce((/** @type {number} */ total, /** @type {any} */ one) => total + count(one.requests), 0);

/** @param {any} rpc @returns {number} Ended requests. */
export const requests = (rpc) => (rpc.outcomes ?? []).reduce((/** @type {number} */ total, /** @type {any} */ one) => total + count(one.requests), 0);

/** Whether the RPC is a stream. A stream lasts as long as its caller likes, so its duration is no latency. @param {string} rpc */
export const isStream = (rpc) => /\/(Watch|Stream|Batch|Backup|Export|Upload|Import|Evaluate|Generate)/.test(rpc);

/**
 * @typedef {object} Sample The values of an interval that the charts show.
 * @property {number} time Seconds since the epoch.
 * @property {number} requests Per second.
 * @property {number} failed Per second.
 * @property {number} median Latency in seconds; NaN without calls.
 * @property {number} p95 The 95th percentile of the latency in seconds; NaN without calls.
 * @property {number} cores Busy cores.
 * @property {number} waiting Requests in queues.
 * @property {number|undefined} gpu Share of use of the busiest GPU.
 */

/** The page's own call, left out of the figures because it would dominate those of an idle server. */
const OWN = "vrp.v1.SystemService/GetServerStats";

/** @param {any} stats ServerStats */
export const timeOf = (stats) => Date.parse(stats.time) / 1000;

/**
 * Returns what happened between two answers.
 * @param {any} after ServerStats
 * @param {any} before ServerStats
 * @returns {Sample}
 */
export function sample(after, before) {
  const seconds = Math.max(0.001, timeOf(after) - timeOf(before));
  const earlier = new Map((before.rpcs ?? []).map((/** @type {any} */ rpc) => [rpc.rpc, rpc]));
  const rpcs = (after.rpcs ?? []).filter((/** @type {any} */ { rpc }) => rpc !== OWN).map((/** @type {any} */ rpc) => ({ rpc, old: earlier.get(rpc.rpc) ?? {} }));
  const total = (/** @type {(rpc: any) => number} */ of) => rpcs.reduce((/** @type {number} */ all, /** @type {any} */ one) => all + of(one.rpc) - of(one.old), 0) / seconds;
  const calls = sum(rpcs.filter((/** @type {any} */ one) => !isStream(one.rpc.rpc)).map((/** @type {any} */ one) => since(one.rpc.duration, one.old.duration)));
  const use = (after.devices ?? []).filter((/** @type {any} */ { id }) => id !== "cpu").map((/** @type {any} */ device) => device.utilization).filter((/** @type {any} */ value) => value !== undefined);
  return {
    time: timeOf(after), requests: total(requests), failed: total(failures), median: quantile(calls, 0.5), p95: quantile(calls, 0.95),
    cores: ((after.process?.cpuSeconds ?? 0) - (before.process?.cpuSeconds ?? 0)) / seconds,
    waiting: (after.queues ?? []).reduce((/** @type {number} */ all, /** @type {any} */ queue) => all + count(queue.waiting), 0),
    gpu: use.length > 0 ? Math.max(...use) : undefined,
  };
}
