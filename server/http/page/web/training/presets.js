/** The training configurations that come with the server, which `vrpctl train --list-presets` lists too. */

/** @typedef {{name: string, yaml: string, trains: string, takes: string}} Preset */

/** Returns line `number`, from 0, of the comment at the start, without the full stop. @param {string} yaml @param {number} number */
function commentLine(yaml, number) {
  const line = yaml.split("\n", number + 1)[number] ?? "";
  return line.startsWith("#") ? line.replace(/^#\s*/, "").replace(/[.\s]+$/, "") : "";
}

/** @param {{name: string, yaml: string}[]} files @returns {Preset[]} */
export function readPresets(files) {
  return files.map(({ name, yaml }) => ({ name, yaml, trains: commentLine(yaml, 0), takes: commentLine(yaml, 1) }));
}

/** @param {AbortSignal} signal */
export async function loadPresets(signal) {
  const response = await fetch("/page/presets.json", { signal });
  if (!response.ok) throw new Error(`The presets are missing (HTTP ${response.status}).`);
  return readPresets(await response.json());
}

/**
 * Returns the line that an error of a configuration names, from 1: "tiny.yaml:7: training.epochs: got ..."; 0 if none.
 * @param {string} description
 * @param {string} file
 */
export function lineOf(description, file) {
  if (!description.startsWith(`${file}:`)) return 0;
  return Number(/^:(\d+):/.exec(description.slice(file.length))?.[1] ?? 0);
}
