/** Reads files by the server: the page itself knows only the project's JSON, which the server converts to. */

import { ApiError, call, textOfBase64, textToBase64 } from "../api.js";
import { readProblem } from "./problem.js";

/**
 * @typedef {object} Loaded
 * @property {string} name Name of the file.
 * @property {string} text Content of the file.
 * @property {string[]} errors Empty if the instance is valid.
 * @property {any} data The instance in the project's JSON; null if it cannot be read.
 * @property {import("./problem.js").Problem|null} problem
 * @property {string} roads The road network that the file names for all vehicles, or empty.
 */

/** Returns an instance as InstanceFile. @param {string} name @param {any} data */
export function instanceFile(name, data) {
  return { name: shortName(name), format: "INSTANCE_FORMAT_JSON", content: textToBase64(JSON.stringify(data)) };
}

/** @param {string} name At most 256 bytes are allowed. */
const shortName = (name) => [...name].slice(0, 60).join("");

/** Whether the rest of an instance can be solved in spite of the errors: loads that no vehicle can carry. @param {string[]} errors */
export const canIgnore = (errors) => errors.every((error) => /exceeds (the )?vehicle capacity/.test(error));

/**
 * Reads a file. Errors of the file are part of the result; other errors are thrown.
 * @param {string} name
 * @param {string} text
 * @param {AbortSignal} [signal]
 * @returns {Promise<Loaded>}
 */
export async function loadText(name, text, signal) {
  const file = { name: shortName(name), content: textToBase64(text) };
  const { errors = [], unsupportedFeatures = [] } = await call("ValidateInstance", { file }, { signal });
  const problems = [...errors, ...unsupportedFeatures];
  /** @type {Loaded} */
  const loaded = { name: file.name, text, errors: problems, data: null, problem: null, roads: "" };
  if (!canIgnore(problems)) return loaded;
  try {
    const named = roadsOf(text);
    const plain = named ? { ...file, content: textToBase64(named.text) } : file;
    const converted = await call("ConvertInstance", { file: plain, format: "INSTANCE_FORMAT_JSON" }, { signal });
    loaded.data = JSON.parse(textOfBase64(converted.file.content));
    named?.vehicles.forEach((name, type) => { if (name && loaded.data.vehicles?.[type]) loaded.data.vehicles[type].road_network = name; });
    loaded.roads = named?.all ?? "";
    loaded.problem = readProblem(loaded.data);
  } catch (error) {
    const wrong = error instanceof ApiError && ["INVALID_ARGUMENT", "UNIMPLEMENTED"].includes(error.status);
    if (!wrong) throw error;
    if (problems.length === 0) loaded.errors = [error.message];
  }
  return loaded;
}

/**
 * Takes the names of road networks out of a file in the project's JSON, since a conversion would replace them by
 * matrices. Returns null if it has none.
 * @param {string} text
 * @returns {{text: string, all: string, vehicles: (string|undefined)[]}|null}
 */
export function roadsOf(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return null; // another format
  }
  if (typeof data?.kind !== "string") return null;
  const { road_network: all = "", ...rest } = data;
  const vehicles = Array.isArray(data.vehicles) ? data.vehicles : [];
  const names = vehicles.map((/** @type {any} */ vehicle) => vehicle?.road_network);
  if (!all && !names.some(Boolean)) return null;
  const plain = vehicles.map((/** @type {any} */ { road_network: _, ...vehicle }) => vehicle);
  return { text: JSON.stringify({ ...rest, ...(vehicles.length > 0 ? { vehicles: plain } : {}) }), all, vehicles: names };
}
