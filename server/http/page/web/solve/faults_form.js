/** A form with a field for each error of a file, so that the user corrects it where it is. */

import { fill, h, uniqueId } from "../dom.js";
import { plural } from "../format.js";
import { correct, locateFaults } from "./faults.js";

const MAX_SHOWN = 50;

/**
 * @param {HTMLElement} host
 * @param {import("./loading.js").Loaded} loaded
 * @param {{onText: (name: string, text: string) => void, onAnyway: (() => void)|null, onCancel: () => void}} events
 */
export function showFaults(host, loaded, { onText, onAnyway, onCancel }) {
  const faults = locateFaults(loaded.name, loaded.text, loaded.errors).slice(0, MAX_SHOWN);
  const inputs = faults.map((fault) => fieldOf(fault));
  const textId = uniqueId("text");
  const whole = h("textarea", { id: textId, rows: 14, spellcheck: "false" });
  const details = h("details", { class: "whole-text" }, h("summary", {}, "Edit the whole file"), h("label", { for: textId }, "Text of the file"), whole);
  details.addEventListener("toggle", () => { if (details.open && !whole.value) whole.value = loaded.text; });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const values = inputs.map(({ input }, at) => input?.value ?? faults[at].value);
    onText(loaded.name, details.open && whole.value ? whole.value : correct(loaded.text, faults, values));
  };
  fill(host, h("form", { class: "panel faults", onsubmit: submit },
    h("div", { class: "panel-body stack" },
      h("div", {}, h("h1", {}, `${loaded.name} has ${plural(loaded.errors.length, "error")}`),
        h("p", { class: "hint" }, faults.some((fault) => fault.kind !== "none")
          ? "Correct the values here, then check again. Your file on disk stays as it is."
          : "Correct the file and drop it again, or edit its text below.")),
      h("div", { class: "fault-list" }, inputs.map(({ element }) => element)),
      loaded.errors.length > MAX_SHOWN && h("p", { class: "hint" }, `and ${loaded.errors.length - MAX_SHOWN} more`),
      details,
      h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Check again"),
        onAnyway && h("button", { type: "button", onclick: onAnyway }, "Solve the rest anyway"),
        h("button", { type: "button", class: "quiet", onclick: onCancel }, "Another file")))));
  (inputs.find(({ input }) => input)?.input ?? host.querySelector("button"))?.focus();
}

/** @param {import("./faults.js").Fault} fault */
function fieldOf(fault) {
  const id = uniqueId("fault");
  const input = fault.kind === "none" ? null
    : h("input", { id, type: "text", class: "mono", value: fault.value, spellcheck: "false", "aria-invalid": "true", "aria-describedby": `${id}-error` });
  const element = h("div", { class: "field fault" },
    input ? h("label", { for: id, class: "mono" }, fault.where) : h("span", { class: "mono fault-where" }, fault.where), input,
    h("p", { id: `${id}-error`, class: "field-error" }, fault.message));
  return { input, element };
}
