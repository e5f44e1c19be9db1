/** Colours of routes and lines: as many as needed, as different as possible, and readable on light and dark. */

const GOLDEN_ANGLE = 137.508; // degrees; neighbours in the order get far hues
const FIRST_HUE = 262;
const LIGHTNESS = { light: [0.55, 0.66, 0.46], dark: [0.74, 0.64, 0.84] };
const CHROMA = { light: [0.18, 0.15, 0.14], dark: [0.14, 0.16, 0.1] };

/**
 * Converts OKLCH to "#rrggbb" (Ottosson, "A perceptual color space for image processing", 2020). Colours outside sRGB
 * lose chroma.
 * @param {number} lightness 0 to 1
 * @param {number} chroma
 * @param {number} hue degrees
 */
export function oklchToHex(lightness, chroma, hue) {
  for (let c = chroma; c > 0; c -= 0.01) {
    const rgb = linearRgb(lightness, c, hue);
    if (rgb.every((value) => value >= -0.0005 && value <= 1.0005)) return hex(rgb);
  }
  return hex(linearRgb(lightness, 0, hue));
}

/** @param {number} lightness @param {number} chroma @param {number} hue */
function linearRgb(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
}

/** @param {number[]} rgb */
function hex(rgb) {
  const part = (/** @type {number} */ value) => {
    const clamped = Math.min(1, Math.max(0, value));
    const gamma = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
    return Math.round(gamma * 255).toString(16).padStart(2, "0");
  };
  return `#${rgb.map(part).join("")}`;
}

const darkQuery = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : { matches: false };

/** Whether the user's system is set to dark. */
export const prefersDark = () => darkQuery.matches;

/** @type {Map<string, string>} */
const known = new Map();

/**
 * Returns the colour of route number `index`.
 * @param {number} index
 * @param {boolean} [dark]
 */
export function routeColour(index, dark = prefersDark()) {
  const key = `${index}${dark}`;
  const found = known.get(key);
  if (found) return found;
  const theme = dark ? "dark" : "light";
  // The lightness changes once around the circle, so that equal hues differ by it.
  const level = Math.floor((index * GOLDEN_ANGLE) / 360) % 3;
  const colour = oklchToHex(LIGHTNESS[theme][level], CHROMA[theme][level], (FIRST_HUE + index * GOLDEN_ANGLE) % 360);
  known.set(key, colour);
  return colour;
}
