/** The metrics of a job over its steps, without the DOM. */

/** @typedef {{step: number, instances: number, seconds: number, values: Record<string, number|undefined>}} HistoryPoint */
/** @typedef {"step"|"instances"|"seconds"} Axis */

export const AXES = /** @type {Record<Axis, {label: string, title: string}>} */ ({
  step: { label: "Steps", title: "steps" }, instances: { label: "Instances", title: "instances" }, seconds: { label: "Time since the start", title: "minutes" },
});
const METRICS = ["loss", "trainCost", "validationCost", "validationReferenceCost", "validationGap", "learningRate", "instancesPerSecond",
                 "deviceUtilization", "accuracy", "validationAccuracy"];
const MAX_POINTS = 8000; // reports; beyond this number, every other one of the older half is dropped

export class History {
  /** @param {string|undefined} start Timestamp of the job's first start. */
  constructor(start) {
    this.start = start ? Date.parse(start) : NaN;
    /** @type {HistoryPoint[]} Ordered by step. */
    this.points = [];
  }

  /**
   * Adds a report. It replaces those of its step and of later ones, which a crash has undone.
   * @param {any} progress TrainingProgress
   * @param {string} time Timestamp
   */
  add(progress, time) {
    const step = Number(progress.step ?? 0);
    this.rewind(step - 1);
    if (Number.isNaN(this.start)) this.start = Date.parse(time);
    const values = /** @type {Record<string, number|undefined>} */ ({});
    for (const metric of METRICS) values[metric] = progress[metric] === undefined ? undefined : Number(progress[metric]);
    // Zeros are left out of JSON, but these have a value in each report.
    for (const metric of ["loss", "trainCost", "learningRate", "instancesPerSecond"]) values[metric] ??= 0;
    this.points.push({ step, instances: Number(progress.instancesSeen ?? 0), seconds: (Date.parse(time) - this.start) / 1000, values });
    if (this.points.length > MAX_POINTS) this.points = this.points.filter((_, index) => index % 2 === 1 || index > MAX_POINTS / 2);
  }

  /** Forgets what came after a step. @param {number} step */
  rewind(step) {
    while (this.points.length > 0 && this.points[this.points.length - 1].step > step) this.points.pop();
  }

  /** Whether any report has the metric. @param {string} metric */
  has(metric) {
    return this.points.some(({ values }) => values[metric] !== undefined);
  }

  /**
   * Returns the metric over an axis. Reports repeat the last validation; each is drawn once, where it changed.
   * @param {string} metric
   * @param {Axis} axis
   * @returns {[number, number][]}
   */
  line(metric, axis) {
    const line = /** @type {[number, number][]} */ ([]);
    const once = metric.startsWith("validation");
    const scale = axis === "seconds" ? 1 / 60 : 1;
    for (const [index, point] of this.points.entries()) {
      const value = point.values[metric];
      if (value === undefined || !Number.isFinite(value)) continue;
      const repeated = once && line.length > 0 && line[line.length - 1][1] === value && index < this.points.length - 1;
      if (!repeated) line.push([point[axis] * scale, value]);
    }
    return line;
  }
}
