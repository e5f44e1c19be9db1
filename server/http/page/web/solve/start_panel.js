/** The first screen: drop a file, choose one, paste its text, or take a sample. */

import { fill, h, uniqueId } from "../dom.js";

const SAMPLES = [
  { file: "E-n22-k4.vrp", label: "Try E-n22-k4", hint: "21 customers, 4 trucks" },
  { file: "RC208.vrp", label: "RC208", hint: "100 customers with time windows" },
  { file: "city.json", label: "City", hint: "40 customers on a map, breaks, skills" },
];
const MAX_FILE_BYTES = 64 << 20;

/**
 * Shows the screen.
 * @param {HTMLElement} host
 * @param {(name: string, text: string) => void} onText
 * @param {(error: any) => void} onError
 */
export function showStart(host, onText, onError) {
  const input = h("input", { type: "file", class: "file-input", "aria-label": "Instance file", tabindex: -1,
                             onchange: () => readFile(input.files?.[0], onText, onError) });
  const area = h("div", { class: "drop-zone" },
    h("div", { class: "drop-art", "aria-hidden": "true" }, "⤓"),
    h("h1", {}, "Plan routes"),
    h("p", { class: "hint" }, "Drop a file with your customers and vehicles here: CVRPLIB or TSPLIB (.vrp, .tsp), Solomon, VROOM or JSON."),
    h("div", { class: "row centred" },
      h("button", { type: "button", class: "primary", onclick: () => input.click() }, "Choose a file…"),
      h("button", { type: "button", onclick: () => showPaste(paste, onText) }, "Paste text…")),
    input);
  const paste = h("div", { class: "paste" });
  fill(host, h("div", { class: "start" }, area, paste,
    h("div", { class: "samples" }, h("h2", {}, "No file at hand?"), h("div", { class: "row" }, SAMPLES.map(({ file, label, hint }) =>
      h("button", { type: "button", class: "sample", "data-sample": file, onclick: () => openSample(file, onText, onError) },
        h("strong", {}, label), h("small", {}, hint)))))));
}

/** @param {string} file @param {(name: string, text: string) => void} onText @param {(error: any) => void} onError */
async function openSample(file, onText, onError) {
  try {
    const response = await fetch(`/page/samples/${file}`);
    if (!response.ok) throw new Error(`The sample ${file} is missing (HTTP ${response.status}).`);
    onText(file, await response.text());
  } catch (error) {
    onError(error);
  }
}

/** @param {HTMLElement} host @param {(name: string, text: string) => void} onText */
function showPaste(host, onText) {
  const id = uniqueId("paste");
  const field = h("textarea", { id, rows: 10, spellcheck: "false", placeholder: "NAME : my-instance …   or   { \"vehicles\": … }" });
  fill(host, h("form", { class: "panel panel-body stack", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    if (field.value.trim()) onText("pasted text", field.value);
  } }, h("label", { for: id }, "Text of an instance, in any of these formats"), field,
  h("div", {}, h("button", { type: "submit", class: "primary" }, "Read it"))));
  field.focus();
}

/** @param {File|undefined} file @param {(name: string, text: string) => void} onText @param {(error: any) => void} onError */
async function readFile(file, onText, onError) {
  if (!file) return;
  if (file.size > MAX_FILE_BYTES) return onError(new Error(`${file.name} has ${file.size} bytes; at most ${MAX_FILE_BYTES} are read.`));
  onText(file.name, await file.text());
}

/**
 * Lets files be dropped anywhere on the view.
 * @param {HTMLElement} host
 * @param {(name: string, text: string) => void} onText
 * @param {(error: any) => void} onError
 * @param {AbortSignal} signal
 */
export function acceptDrops(host, onText, onError, signal) {
  const main = document.documentElement;
  const carriesFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  main.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    host.classList.add("drop-target");
  }, { signal });
  main.addEventListener("dragleave", (event) => { if (!event.relatedTarget) host.classList.remove("drop-target"); }, { signal });
  main.addEventListener("drop", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    host.classList.remove("drop-target");
    readFile(event.dataTransfer?.files[0], onText, onError);
  }, { signal });
}
