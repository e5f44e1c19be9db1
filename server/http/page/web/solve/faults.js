/** Finds the places in a file that the server's errors name, so that they can be corrected there. Pure. */

/**
 * @typedef {object} Fault
 * @property {string} where Path or line, as the user knows it.
 * @property {string} message
 * @property {"value"|"line"|"none"} kind The part that can be edited: a JSON value, a line, or nothing.
 * @property {(string|number)[]} [path] Path of the JSON value.
 * @property {number} [line] Number of the line, from 1.
 * @property {string} value The current text of the value or line; empty if there is none.
 */

/** Keys of the project's JSON for fields of customers, in errors' words. */
const KEYS = new Map([["demand", "demands"], ["backhaul", "backhauls"], ["pickup", "pickups"], ["service_time", "service"],
  ["setup_time", "setup"], ["release_time", "release"], ["prize", "prizes"], ["priority", "priorities"],
  ["time_windows", "time_windows"], ["required_skills", "required_skills"], ["location", "coords"], ["id", "ids"]]);

/**
 * Returns the parts of "jobs[0].location[1]": ["jobs", 0, "location", 1].
 * @param {string} text
 * @returns {(string|number)[]}
 */
export function parsePath(text) {
  return [...text.matchAll(/([A-Za-z_]\w*)|\[(\d+)\]/g)].map(([, name, index]) => (name === undefined ? Number(index) : name));
}

/** @param {any} root @param {(string|number)[]} path @returns {any} */
export function valueAt(root, path) {
  return path.reduce((value, part) => value?.[part], root);
}

/** Sets a value that exists. @param {any} root @param {(string|number)[]} path @param {any} value */
export function setValue(root, path, value) {
  const parent = valueAt(root, path.slice(0, -1));
  if (parent !== undefined && parent !== null) parent[path[path.length - 1]] = value;
}

/**
 * Returns the path in the file for the path in an error, or null if there is no such value. For example, an error names
 * `customers[3].demand` where the project's JSON has `demands[4]`.
 * @param {any} root
 * @param {(string|number)[]} path
 */
export function pathInFile(root, path) {
  if (valueAt(root, path) !== undefined) return path;
  const [group, index, field, ...rest] = path;
  if (group === "vehicles" && index === 0 && field === "capacity" && root.capacity !== undefined) return ["capacity"];
  const key = KEYS.get(String(field));
  if ((group !== "customers" && group !== "depots") || typeof index !== "number" || !key) return null;
  const node = group === "depots" ? index : index + (root.num_depots ?? 1);
  const inner = rest.map((part) => (part === "x" || part === "open" ? 0 : part === "y" || part === "close" ? 1 : part));
  for (const found of [[key, node, ...inner], [key, node], [key]]) {
    const value = valueAt(root, found);
    if (value !== undefined && value !== null) return found;
  }
  return null;
}

/**
 * Returns the faults of a file.
 * @param {string} name Name of the file, with which errors may begin.
 * @param {string} text
 * @param {string[]} errors
 * @returns {Fault[]}
 */
export function locateFaults(name, text, errors) {
  /** @type {any} */
  let root = null;
  try {
    root = JSON.parse(text);
  } catch {
    root = null; // no JSON: errors name lines
  }
  return errors.map((error) => locate(name, text, root, error));
}

/** @param {string} name @param {string} text @param {any} root @param {string} error @returns {Fault} */
function locate(name, text, root, error) {
  const rest = error.startsWith(`${name}:`) ? error.slice(name.length + 1) : error;
  const atLine = /^(\d+):(?:\d+:)?\s*(.*)$/s.exec(rest);
  if (atLine) {
    const line = Number(atLine[1]);
    const value = text.split("\n")[line - 1];
    return { where: `Line ${line}`, message: atLine[2], kind: value === undefined ? "none" : "line", line, value: (value ?? "").replace(/\r$/, "") };
  }
  const atPath = /^\s*([A-Za-z_]\w*(?:\[\d+\]|\.\w+)*):\s*(.*)$/s.exec(rest);
  if (!atPath) return { where: name, message: rest.trim(), kind: "none", value: "" };
  const [, where, message] = atPath;
  const path = root && pathInFile(root, parsePath(where));
  if (!path) return { where, message, kind: "none", value: "" };
  return { where, message, kind: "value", path, value: JSON.stringify(valueAt(root, path)) };
}

/**
 * Returns the text with the corrections put in.
 * @param {string} text
 * @param {Fault[]} faults
 * @param {string[]} values The new text of each fault, in the same order.
 */
export function correct(text, faults, values) {
  const lines = text.split("\n");
  faults.forEach((fault, at) => {
    if (fault.kind === "line" && fault.line) lines[fault.line - 1] = values[at];
  });
  if (!faults.some((fault) => fault.kind === "value")) return lines.join("\n");
  const root = JSON.parse(lines.join("\n"));
  faults.forEach((fault, at) => {
    if (fault.kind === "value" && fault.path && values[at] !== fault.value) setValue(root, fault.path, parseValue(values[at]));
  });
  return JSON.stringify(root, null, 1);
}

/** Returns the JSON value of a text, or the text itself. @param {string} text */
function parseValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
