/** The only state of the page that outlives a view: the session, and what the views keep for their next visit. */

/**
 * A value with listeners.
 * @template T
 */
export class Cell {
  /** @param {T} value */
  constructor(value) {
    this.value = value;
    /** @type {Set<(value: T) => void>} */
    this.listeners = new Set();
  }

  /** Replaces the value and calls the listeners. @param {T} value */
  set(value) {
    this.value = value;
    for (const listener of [...this.listeners]) listener(value);
  }

  /** Merges into a value that is an object. @param {Partial<T>} part */
  patch(part) {
    this.set({ ...this.value, ...part });
  }

  /**
   * Calls the listener now and after each change, until `signal` aborts.
   * @param {(value: T) => void} listener
   * @param {AbortSignal} [signal]
   */
  watch(listener, signal) {
    this.listeners.add(listener);
    signal?.addEventListener("abort", () => this.listeners.delete(listener));
    listener(this.value);
  }
}

/**
 * @typedef {object} Session
 * @property {"connecting"|"ready"|"token"|"unreachable"} state "token": the server asks for one, or refuses it.
 * @property {any} info ServerInfo, once known.
 * @property {boolean} canSolve Whether the token's role is at least solve.
 * @property {{mapTiles: string, mapAttribution: string}} settings
 */

/** @type {Cell<Session>} */
export const session = new Cell(/** @type {Session} */ ({
  state: "connecting", info: null, canSolve: true, settings: { mapTiles: "", mapAttribution: "" },
}));

/** The state that each view keeps for the user's next visit, by the view's name. @type {Map<string, any>} */
export const kept = new Map();

const TOKEN = "vrpd-token";

/** The token, for this tab and until it is closed. */
export const token = {
  /** @returns {string} Empty if none was typed in. */
  get() {
    return sessionStorage.getItem(TOKEN) ?? "";
  },
  /** @param {string} text */
  set(text) {
    if (text) sessionStorage.setItem(TOKEN, text);
    else sessionStorage.removeItem(TOKEN);
  },
};
