/** Asks before something that cannot be undone. */

import { h, uniqueId } from "./dom.js";

/**
 * Resolves to whether the user agreed. Escape and "Go back" say no.
 * @param {{title: string, text: string, action: string}} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, action }) {
  return new Promise((resolve) => {
    const id = uniqueId("confirm");
    const dialog = h("dialog", { "aria-labelledby": id, class: "confirm", onclose: () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    } },
    h("div", { class: "stack" },
      h("h2", { id }, title), h("p", { class: "hint" }, text),
      h("div", { class: "dialog-buttons" },
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close("no") }, "Go back"),
        h("button", { type: "button", class: "danger", onclick: () => dialog.close("yes") }, action))));
    document.body.append(dialog);
    dialog.showModal();
  });
}
