/** Keeps views current: calls that repeat while the page is visible, and drawing that is not done more often than useful. */

import { isAbort } from "./api.js";
import { clearNotices, showError } from "./notices.js";

/** Resolves after `ms`, or when `signal` aborts. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export function delay(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    }, { once: true });
  });
}

/** Resolves when the page is visible, or when `signal` aborts. @param {AbortSignal} signal @returns {Promise<void>} */
function visible(signal) {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve(undefined);
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve(undefined);
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}

/**
 * Calls `work` now, and again `ms` after each end, while the page is visible. An error is shown once, until the next
 * success. Returns when `signal` aborts.
 * @param {string} action For the error: "Loading the jobs".
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} work
 */
export async function poll(action, ms, signal, work) {
  let failed = false;
  while (!signal.aborted) {
    try {
      await work();
      if (failed) clearNotices();
      failed = false;
    } catch (error) {
      if (isAbort(error)) return;
      if (!failed) showError(error, action);
      failed = true;
    }
    await delay(ms, signal);
    await visible(signal);
  }
}

/**
 * Returns a function that calls `draw` once for all its calls within `ms`.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {() => void} draw
 */
export function throttled(ms, signal, draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (!signal.aborted) draw();
    }, ms);
  };
}
