/** Formats numbers, times and durations for people. */

const LOCALE = "en-US";

/** @type {Map<number, Intl.NumberFormat>} */
const formats = new Map();

/** Returns the format with this many decimals. To make one takes a hundred times as long as to use it. @param {number} digits */
function formatOf(digits) {
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits, minimumFractionDigits: 0 });
    formats.set(digits, format);
  }
  return format;
}

/**
 * Returns a number with thousands separators and at most `digits` decimals; integers have none.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 2) {
  if (!Number.isFinite(value)) return "–";
  return formatOf(Number.isInteger(value) ? 0 : digits).format(value).replace("-", "−");
}

/** Returns a number without a unit with as many decimals as its size deserves. @param {number} value */
export function plain(value) {
  const size = Math.abs(value);
  return number(value, size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** Returns a difference with its sign: "+12.4", "−3", "±0". @param {number} value @param {number} [digits] */
export function signed(value, digits = 2) {
  const rounded = Number(value.toFixed(digits));
  if (rounded === 0) return "±0";
  return rounded > 0 ? `+${number(rounded, digits)}` : number(rounded, digits);
}

/** Returns a share as "3.2 %". @param {number} share @param {number} [digits] */
export function percent(share, digits = 2) {
  return `${number(Number((share * 100).toFixed(digits)), digits)} %`;
}

/** Returns a signed share: "+3.2 %". @param {number} share @param {number} [digits] */
export function signedPercent(share, digits = 2) {
  return `${signed(share * 100, digits)} %`;
}

/** Returns the seconds of protobuf's JSON form of a Duration: "2.5s" is 2.5. @param {string|undefined} text */
export function secondsOf(text) {
  return text ? Number(text.replace(/s$/, "")) : 0;
}

/** Returns protobuf's JSON form of a Duration. @param {number} seconds */
export function durationText(seconds) {
  return `${Number(seconds.toFixed(9))}s`;
}

/** Returns "0.42 s", "12 s", "3 min 5 s", "42 min", "2 h 4 min" or "5 d 3 h". @param {number} seconds */
export function span(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 10) return `${number(seconds, 2)} s`;
  const total = Math.round(seconds);
  if (total < 60) return `${total} s`;
  if (total < 600) return `${Math.floor(total / 60)} min ${total % 60} s`;
  if (total < 3600) return `${Math.round(total / 60)} min`;
  if (total < 86400) return `${Math.floor(total / 3600)} h ${Math.floor((total % 3600) / 60)} min`;
  return `${Math.floor(total / 86400)} d ${Math.floor((total % 86400) / 3600)} h`;
}

const STEPS = ["B", "KiB", "MiB", "GiB", "TiB"];
/** Returns "3.4 MiB". @param {number} count */
export function bytes(count) {
  let step = 0;
  let value = count;
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${number(value, step === 0 ? 0 : 1)} ${STEPS[step]}`;
}

/** Returns the local date and time of a Timestamp. @param {string|undefined} timestamp */
export function dateTime(timestamp) {
  if (!timestamp) return "–";
  return new Date(timestamp).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/**
 * @typedef {object} Units Units in protobuf's JSON form.
 * @property {number} [metresPerDistanceUnit]
 * @property {number} [secondsPerTimeUnit]
 * @property {boolean} [timesOfDay]
 * @property {string} [cost]
 */

/** Returns a distance in km or m, or as a plain number if the unit is unknown. @param {number} value @param {Units} [units] */
export function distance(value, units) {
  if (!units?.metresPerDistanceUnit) return plain(value);
  const metres = value * units.metresPerDistanceUnit;
  return Math.abs(metres) < 1000 ? `${number(metres, 0)} m` : `${number(metres / 1000, 1)} km`;
}

/** Returns a duration by the units. @param {number} value @param {Units} [units] */
export function duration(value, units) {
  return units?.secondsPerTimeUnit ? span(value * units.secondsPerTimeUnit) : plain(value);
}

/** Returns a point in time: "08:15" for times of day, else a number. @param {number} value @param {Units} [units] */
export function clock(value, units) {
  if (!Number.isFinite(value)) return "–";
  if (!units?.timesOfDay || !units.secondsPerTimeUnit) return plain(value);
  const minutes = Math.round((value * units.secondsPerTimeUnit) / 60);
  const day = Math.floor(minutes / 1440);
  const rest = minutes - day * 1440;
  const text = `${String(Math.floor(rest / 60)).padStart(2, "0")}:${String(rest % 60).padStart(2, "0")}`;
  return day === 0 ? text : `${text} (${signed(day)} d)`;
}

/** Returns a cost in the unit that the objective gives it. @param {number} value @param {Units} [units] */
export function cost(value, units) {
  if (units?.cost === "COST_UNIT_DISTANCE") return distance(value, units);
  if (units?.cost === "COST_UNIT_TIME") return duration(value, units);
  return number(value, 2);
}

/** Returns "1 route", "3 routes". @param {number} count @param {string} one @param {string} [many] */
export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}
