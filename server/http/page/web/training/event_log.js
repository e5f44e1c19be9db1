/** The log of a job's events. */

import { fill, h } from "../dom.js";
import { describeEvent } from "./events.js";

const MAX_ROWS = 1500;

export class EventLog {
  /** @param {HTMLElement} host @param {() => void} onEarlier Called when the user asks for earlier events. */
  constructor(host, onEarlier) {
    this.earlier = h("button", { type: "button", class: "small quiet", hidden: true, onclick: onEarlier }, "Show earlier events");
    this.empty = h("p", { class: "hint" }, "No events yet.");
    this.list = h("ol", { class: "event-list", tabindex: 0, "aria-label": "Events, the newest last" });
    fill(host, this.earlier, this.empty, this.list);
  }

  /** Forgets the events. @param {boolean} complete Whether the first event follows. */
  clear(complete) {
    this.list.replaceChildren();
    this.earlier.hidden = complete;
    this.empty.hidden = false;
    this.empty.textContent = complete ? "No events yet." : "Only progress lately.";
  }

  /** @param {any[]} events In their order. */
  add(events) {
    const rows = events.flatMap((event) => {
      const said = describeEvent(event);
      return said ? [h("li", { class: `event-${said.kind}` }, h("time", { datetime: event.time, title: new Date(event.time).toLocaleString("en-GB") },
        new Date(event.time).toLocaleTimeString("en-GB")), h("span", {}, said.text))] : [];
    });
    if (rows.length === 0) return;
    const { list } = this;
    const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
    list.append(...rows);
    while (list.childElementCount > MAX_ROWS) list.firstElementChild?.remove();
    this.empty.hidden = true;
    if (atEnd) list.scrollTop = list.scrollHeight;
  }
}
