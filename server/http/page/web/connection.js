/** Finds out what the server is and what the token allows, and asks for a token. */

import { ApiError, call } from "./api.js";
import { fill, h, uniqueId } from "./dom.js";
import { clearNotices, showError } from "./notices.js";
import { session, token } from "./store.js";

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** Whether the token may solve. Validates an empty instance, because the server checks the role before the request.
 * Other errors than that of the role count as yes. */
async function maySolve() {
  try {
    await call("ValidateInstance", { instance: {} });
  } catch (error) {
    if (error instanceof ApiError && error.status === "PERMISSION_DENIED") return false;
  }
  return true;
}

const RETRY_MS = 3000;

/** Asks the server who it is, and stores the answer in `session`. Asks again as long as the server cannot be reached. */
export async function connect() {
  const wasUnreachable = session.value.state === "unreachable";
  try {
    const info = await call("GetServerInfo");
    const settings = await (await fetch("/page/settings.json")).json();
    const canSolve = token.get() === "" || (await maySolve());
    if (wasUnreachable) clearNotices();
    session.set({ state: "ready", info, settings, canSolve });
  } catch (error) {
    const refused = error instanceof ApiError && ["UNAUTHENTICATED", "PERMISSION_DENIED"].includes(error.status);
    session.patch({ state: refused ? "token" : "unreachable", info: null });
    if (refused) return askForToken(token.get() ? "The server does not know this token." : "");
    if (!wasUnreachable) showError(error, "Connecting");
    setTimeout(() => { if (session.value.state === "unreachable") connect(); }, RETRY_MS);
  }
}

/** @param {import("./store.js").Session} value */
function describe({ state, info, canSolve }) {
  if (state === "connecting") return "Connecting…";
  if (state === "unreachable") return "No connection";
  if (state === "token") return "Token needed";
  return canSolve ? `Version ${info.version}` : "Read only";
}

/** Opens the dialog for the token. @param {string} [problem] */
export function askForToken(problem = "") {
  const dialog = element("token-dialog");
  const id = uniqueId("token");
  const field = h("input", { id, type: "password", autocomplete: "off", spellcheck: "false", value: token.get(),
                             "aria-describedby": `${id}-help`, "aria-invalid": problem ? "true" : false });
  const keep = async (/** @type {string} */ text) => {
    token.set(text.trim());
    dialog.close();
    clearNotices();
    await connect();
  };
  fill(dialog, h("form", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    keep(field.value);
  } },
  h("h2", { id: "token-title" }, "Token"),
  h("p", { id: `${id}-help`, class: "hint" }, "If the server asks for tokens, its administrator gives you one. " +
    "It stays in this tab and is forgotten when you close the tab."),
  h("label", { for: id }, "Token"), field,
  problem && h("p", { class: "field-error", role: "alert" }, problem),
  h("div", { class: "dialog-buttons" },
    h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"),
    token.get() && h("button", { type: "button", onclick: () => keep("") }, "Forget the token"),
    h("button", { type: "submit", class: "primary" }, "Use the token"))));
  if (!dialog.open) dialog.showModal();
  field.focus();
}

/** Shows the state of the session in the header, and opens the dialog from there. */
export function showSession() {
  element("session").addEventListener("click", () => askForToken());
  session.watch((value) => {
    element("session").dataset.state = value.state === "ready" && !value.canSolve ? "read" : value.state;
    element("session-text").textContent = describe(value);
    element("session").title = value.info ? `vrpd ${value.info.version}, ${value.info.threads} threads. Change the token.` : "Change the token";
  });
}
