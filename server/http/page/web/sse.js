/** Reads Server-Sent Events (WHATWG HTML, section 9.2) from text that arrives in parts. */

/** @typedef {{event: string, data: string}} ServerEvent */

export class EventReader {
  constructor() {
    this.rest = "";
  }

  /**
   * Returns the events that the part completes. Comments are left out.
   * @param {string} part
   * @returns {ServerEvent[]}
   */
  push(part) {
    const blocks = (this.rest + part).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => parseBlock(block) ?? []);
  }
}

/** @param {string} block @returns {ServerEvent|null} */
function parseBlock(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}
