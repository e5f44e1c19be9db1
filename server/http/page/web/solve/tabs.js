/** Tabs with the keyboard of the ARIA pattern: arrows, Home and End. */

import { h, uniqueId } from "../dom.js";

export class Tabs {
  /**
   * @param {[string, string, HTMLElement][]} entries Name, label and content.
   * @param {(name: string) => void} onChoose
   */
  constructor(entries, onChoose) {
    this.entries = entries;
    this.onChoose = onChoose;
    this.chosen = entries[0][0];
    /** @type {Map<string, any>} */
    this.buttons = new Map();
    /** @type {Map<string, any>} */
    this.counts = new Map();
    const panels = entries.map(([name, label, content]) => this.#panel(name, label, content));
    const list = h("div", { class: "tabs", role: "tablist", onkeydown: (/** @type {KeyboardEvent} */ event) => this.#onKey(event) }, [...this.buttons.values()]);
    this.element = h("div", {}, list, panels);
    this.#show();
  }

  /** @param {string} name @param {string} label @param {HTMLElement} content */
  #panel(name, label, content) {
    const id = uniqueId("tab");
    const count = h("span", { class: "count bad", hidden: true });
    this.counts.set(name, count);
    this.buttons.set(name, h("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel`, "data-tab": name, onclick: () => this.choose(name) }, label, count));
    content.id = `${id}-panel`;
    content.setAttribute("role", "tabpanel");
    content.setAttribute("aria-labelledby", id);
    content.classList.add("panel-body");
    return content;
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name;
    this.#show();
    this.onChoose(name);
  }

  /** Shows a number beside the label; none for 0. @param {string} name @param {number} count */
  setCount(name, count) {
    const element = this.counts.get(name);
    element.hidden = count === 0;
    element.textContent = String(count);
  }

  #show() {
    for (const [name, , content] of this.entries) {
      const selected = name === this.chosen;
      content.hidden = !selected;
      this.buttons.get(name).setAttribute("aria-selected", String(selected));
      this.buttons.get(name).tabIndex = selected ? 0 : -1;
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const at = this.entries.findIndex(([name]) => name === this.chosen);
    const last = this.entries.length - 1;
    const next = { ArrowLeft: at === 0 ? last : at - 1, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(this.entries[next][0]);
    this.buttons.get(this.chosen).focus();
  }
}
