/** Models and their versions, without the DOM. */

import { call } from "../api.js";
import { number, percent } from "../format.js";

const PAGE = 200; // models in one response of ListModels

/**
 * @typedef {object} Family A model: all versions of a name.
 * @property {string} id Without "models/".
 * @property {any[]} versions Newest first.
 * @property {any} newest The newest finished version, which `models/{name}` names; the newest of all if none is finished.
 * @property {[string, number][]} aliases Aliases and their versions, by name.
 */

/** Returns the id of `models/{id}/versions/{n}`. @param {string} name */
export const familyOf = (name) => name.split("/")[1];

/** Returns the number of `models/{id}/versions/{n}`. @param {string} name */
export const versionOf = (name) => Number(name.split("/")[3]);

/** @param {any[]} models Versions. @returns {Family[]} By name. */
export function families(models) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const model of models) groups.set(familyOf(model.name), [...(groups.get(familyOf(model.name)) ?? []), model]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([id, members]) => {
    const versions = members.sort((a, b) => versionOf(b.name) - versionOf(a.name));
    const aliases = versions.flatMap((version) => (version.aliases ?? []).map((/** @type {string} */ alias) => /** @type {[string, number]} */ ([alias, versionOf(version.name)])));
    return { id, versions, newest: versions.find(({ live }) => !live) ?? versions[0], aliases: aliases.sort(([a], [b]) => a.localeCompare(b)) };
  });
}

/** Loads all versions of all models. @param {AbortSignal} signal @returns {Promise<Family[]>} */
export async function loadFamilies(signal) {
  const models = [];
  let pageToken = "";
  do {
    const page = await call("ListModels", { pageSize: PAGE, pageToken }, { signal });
    models.push(...(page.models ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return families(models);
}

const ARCHITECTURES = /** @type {Record<string, string>} */ ({ gt: "Graph transformer", ptrnet: "Pointer network", dispatch: "Dispatch model", estimate: "Estimate model", habits: "Habit model" });

/** @param {any} model @returns {string} */
export const architectureText = (model) => ARCHITECTURES[model.architecture] ?? model.architecture ?? "";

/** Whether the model plans routes. Dispatch and habit models do not. @param {any} model */
export const plansRoutes = (model) => !["dispatch", "estimate", "habits"].includes(model.architecture);

/** Whether the model guides a search by the drivers' habits. @param {any} model */
export const knowsHabits = (model) => model.architecture === "habits";

/** Returns "CVRP, TSP". @param {any} model */
export const problemsText = (model) => (model.problemTypes ?? []).map((/** @type {string} */ type) => type.replace("PROBLEM_TYPE_", "")).join(", ");

/** Returns "1.31 million". @param {any} model */
export function parametersText(model) {
  const count = Number(model.parameterCount ?? 0);
  return count >= 1e6 ? `${number(count / 1e6, 2)} million` : number(count);
}

/** @param {number} gap @param {string} reference */
const gapOf = (gap, reference) => ({ gap: percent(Math.abs(gap), 2), against: `${gap < 0 ? "below" : "above"} ${reference || "the reference"}` });

/**
 * Returns the best figure of a model's quality and what it is compared with; null if nothing is known. Evaluations say more
 * than the validation of the training.
 * @param {any} model
 * @returns {{gap: string, against: string, how: string}|null}
 */
export function qualityOf(model) {
  const rows = (model.evaluations ?? []).filter((/** @type {any} */ row) => row.meanGap !== undefined);
  if (rows.length > 0) {
    const best = rows.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.meanGap < a.meanGap ? b : a));
    return { ...gapOf(best.meanGap, best.reference), how: `${best.mode} on ${best.data}` };
  }
  const how = plansRoutes(model) ? "greedy, on the validation of the training" : "on simulated days of the training's sites";
  return model.validationGap === undefined ? null : { ...gapOf(model.validationGap, model.validationReference), how };
}

/** Returns why an alias cannot be used, or "". @param {string} alias */
export function aliasFault(alias) {
  if (["live", "latest", "newest"].includes(alias)) return `got ${alias}, wanted another name: the server uses that one itself`;
  if (!/^[A-Za-z][\w-]{0,63}$/.test(alias)) return "wanted 1 to 64 letters, digits, - and _, beginning with a letter";
  return "";
}
