/** The Models view: cards, and one model with its versions and aliases. */

import { fill, h } from "../dom.js";
import { CardList } from "../models/card_list.js";
import { ModelScreen } from "../models/model_screen.js";
import { explainRights } from "../rights.js";
import { loadStyle } from "../style_sheets.js";

export const title = "Models";

/** @param {HTMLElement} host @param {{route: string[], signal: AbortSignal}} at */
export async function mount(host, { route, signal }) {
  await Promise.all([loadStyle("/page/style/manage.css"), loadStyle("/page/style/models.css")]);
  if (signal.aborted) return;
  const rights = h("div", {});
  const body = h("div", { class: "manage" });
  fill(host, rights, body);
  explainRights(rights, host, "Loading, unloading, deleting and naming models", signal);
  const [id, version] = route;
  if (id) await new ModelScreen(body, id, Number(version ?? 0), signal).open();
  else await new CardList(body, signal).open();
}
