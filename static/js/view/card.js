// @ts-check
/** A picture of a result that stands alone: what was run, what it came to, and the timeline, in the page's own colours. */

import { differences } from "../pure/differences.js";
import { product } from "../pure/format.js";
import { axisTicks, columnOf, runMaxMs, timeScale } from "../pure/geometry.js";
import { LIMIT_MS } from "../pure/metrics.js";
import { laneEndMs } from "../pure/state.js";
import { besides, dayOf, firstFigure, runMarks, wholeFigure } from "../pure/words.js";

/** @import { TimeScale } from "../pure/geometry.js" */
/** @import { Report } from "../pure/measures.js" */
/** @import { PlannedLane, Run } from "../pure/state.js" */

/** As wide as what a chat or a slide shows, and sharp on a screen of two dots a pixel. */
const WIDTH_PX = 1200;
const DOTS = 2;
const MARGIN_PX = 56;
const FOOT_PX = 80;
const LANE_PX = 150;
const BAR_PX = 40;
const TITLE_PX = 430;
const SETTINGS_PX = 20; // how large they are written
const LINE_PX = 34; // more for each answer, where settings need a line of their own

/** Where the answers stand. @typedef {{ scale: TimeScale, topPx: number, lanePx: number }} Place */

/**
 * @param {Run} run that is over
 * @param {readonly Report[]} reports
 * @returns {Blob} a PNG
 */
export function drawCard(run, reports) {
  const canvas = document.createElement("canvas");
  const measuring = new Pen(contextOf(canvas));
  const head = headOf(measuring, differences(reports));
  const areLong = run.plan.some((plan) => measuring.widthOf(settingsWords(plan), SETTINGS_PX) > TITLE_PX);
  const lanePx = LANE_PX + (areLong ? LINE_PX : 0);
  const topPx = 60 + head.reduce((sum, { sizePx }) => sum + sizePx * 1.25, 0);
  const heightPx = topPx + run.lanes.length * lanePx + FOOT_PX;
  canvas.width = WIDTH_PX * DOTS;
  canvas.height = heightPx * DOTS;
  const context = contextOf(canvas);
  context.scale(DOTS, DOTS);
  const pen = new Pen(context);
  context.fillStyle = pen.role("paper");
  context.fillRect(0, 0, WIDTH_PX, heightPx);
  const scale = timeScale(runMaxMs(run.plan, run), WIDTH_PX - 2 * MARGIN_PX);
  drawHead(pen, head);
  const place = { scale, topPx, lanePx };
  run.lanes.forEach((_, number) => drawLane(pen, run, number, place));
  drawAxis(pen, run, place);
  const marks = runMarks(run);
  pen.text(
    `Measured in a browser on ${dayOf(run)}${marks && ` · ${marks}`} · Trickle`,
    MARGIN_PX,
    heightPx - 20,
    18,
    "soft-ink",
  );
  return pngOf(canvas);
}

/** @param {Pen} pen @param {readonly { text: string, sizePx: number }[]} head */
function drawHead(pen, head) {
  let y = 26;
  head.forEach(({ text, sizePx }) => {
    y += sizePx * 1.25;
    const isFirst = sizePx === head[0].sizePx;
    pen.text(text, MARGIN_PX, y, sizePx, isFirst ? "ink" : "soft-ink", {
      weight: isFirst ? 700 : 400,
      maxPx: WIDTH_PX - 2 * MARGIN_PX,
    });
  });
}

/**
 * At once: `toBlob` waits until the browser has nothing else to do, on a busy machine for ten seconds.
 * @param {HTMLCanvasElement} canvas
 */
function pngOf(canvas) {
  const [, base64] = canvas.toDataURL("image/png").split(",");
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: "image/png" });
}

/** @param {HTMLCanvasElement} canvas */
function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Writes and fills in the colours of the page, those of an answer where `lane` is set. */
class Pen {
  context;
  #probe = document.createElement("span");

  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
  }

  /** @param {string} name of a colour in colours.css @param {number} [lane] @returns {string} as it is now, light or dark */
  role(name, lane = 0) {
    this.#probe.dataset.lane = String(lane);
    this.#probe.style.color = `var(--${name})`;
    document.body.append(this.#probe);
    const { color } = getComputedStyle(this.#probe);
    this.#probe.remove();
    return color;
  }

  /**
   * @param {string} text
   * @param {number} sizePx
   * @param {number} weight
   * @param {number} widthPx
   * @returns {string[]} its words in lines that are no wider, unless a single word is
   */
  lines(text, sizePx, weight, widthPx) {
    /** @type {string[]} */
    const lines = [];
    for (const word of text.split(" ").filter(Boolean)) {
      const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
      if (lines.length && this.widthOf(longer, sizePx, weight) <= widthPx) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  /** @param {string} text @param {number} sizePx @param {number} [weight] */
  widthOf(text, sizePx, weight = 400) {
    this.context.font = `${weight} ${sizePx}px system-ui, sans-serif`;
    return this.context.measureText(text).width;
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y of its baseline
   * @param {number} sizePx
   * @param {string} role
   * @param {{ lane?: number, weight?: number, align?: CanvasTextAlign, maxPx?: number }} [how]
   */
  text(text, x, y, sizePx, role, { lane, weight = 400, align = "left", maxPx } = {}) {
    this.context.font = `${weight} ${sizePx}px system-ui, sans-serif`;
    this.context.fillStyle = this.role(role, lane);
    this.context.textAlign = align;
    this.context.fillText(text, x, y, maxPx);
  }
}

/** What it came to, in lines that fit. @param {Pen} pen @param {readonly string[]} sentences @returns {{ text: string, sizePx: number }[]} */
function headOf(pen, [first, ...others]) {
  const widthPx = WIDTH_PX - 2 * MARGIN_PX;
  const lines = (/** @type {string} */ text, /** @type {number} */ sizePx, /** @type {number} */ weight) =>
    pen.lines(text, sizePx, weight, widthPx).map((line) => ({ text: line, sizePx }));
  return [...lines(first, 32, 700), ...lines(others.join(" "), 22, 400)];
}

/** @param {PlannedLane} plan */
function settingsWords(plan) {
  return [product(plan.tokens, plan.delay_ms), ...besides({ ...plan })].join(", ");
}

/** @param {Pen} pen @param {Run} run @param {number} number @param {Place} place */
function drawLane(pen, run, number, { scale, topPx, lanePx }) {
  const plan = run.plan[number];
  const top = topPx + number * lanePx;
  const first = firstFigure(run, number, run.endMs ?? 0);
  const whole = wholeFigure(run, plan, number);
  const right = WIDTH_PX - MARGIN_PX;
  pen.text(plan.title, MARGIN_PX, top + 26, 26, "ink", { weight: 700, maxPx: TITLE_PX });
  const extraPx = lanePx - LANE_PX;
  pen.text(settingsWords(plan), MARGIN_PX, top + 56 + extraPx, SETTINGS_PX, "soft-ink", {
    maxPx: extraPx ? scale.widthPx : TITLE_PX,
  });
  const hasToken = run.lanes[number].tokens.length > 0;
  pen.text(hasToken ? `${first.figure} ms` : "none", 790, top + 34, 40, "lane", {
    lane: number,
    weight: 700,
    align: "right",
  });
  pen.text(`first token after${first.verdict && ` · ${first.verdict}`}`, 790, top + 62, 18, "soft-ink", {
    align: "right",
    maxPx: 300,
  });
  pen.text(`${whole.figure} ${whole.words}`.trim(), right, top + 34, 40, "ink", { weight: 700, align: "right" });
  pen.text(whole.words ? "whole answer after" : whole.caption, right, top + 62, 18, "soft-ink", {
    align: "right",
    maxPx: 330,
  });
  drawBar(pen, run, number, scale, top + 78 + extraPx);
}

/** @param {Pen} pen @param {Run} run @param {number} number @param {TimeScale} scale @param {number} top */
function drawBar(pen, run, number, scale, top) {
  const { context } = pen;
  const lane = run.lanes[number];
  context.fillStyle = pen.role("lane-wash", number);
  context.fillRect(MARGIN_PX, top, scale.widthPx, BAR_PX);
  const waitedMs = lane.arrivalsMs[0] ?? laneEndMs(lane) ?? run.endMs ?? 0;
  hatch(context, pen.role("lane", number), columnOf(waitedMs, scale), top);
  context.fillStyle = pen.role("lane", number);
  const gapPx = scale.widthPx / Math.max(1, lane.arrivalsMs.length) / 2.5;
  const tickPx = Math.min(4, Math.max(0.5, gapPx));
  for (const ms of lane.arrivalsMs) context.fillRect(MARGIN_PX + columnOf(ms, scale), top, tickPx, BAR_PX);
}

/** Nothing came until here. @param {CanvasRenderingContext2D} context @param {string} colour @param {number} widthPx @param {number} top */
function hatch(context, colour, widthPx, top) {
  context.save();
  context.beginPath();
  context.rect(MARGIN_PX, top, widthPx, BAR_PX);
  context.clip();
  context.beginPath();
  for (let x = -BAR_PX; x < widthPx; x += 9) {
    context.moveTo(MARGIN_PX + x, top + BAR_PX);
    context.lineTo(MARGIN_PX + x + BAR_PX, top);
  }
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.restore();
}

/**
 * The 100 ms line through all answers, and the times below them.
 * @param {Pen} pen
 * @param {Run} run
 * @param {Place} place
 */
function drawAxis(pen, run, { scale, topPx, lanePx }) {
  const { context } = pen;
  const x = MARGIN_PX + columnOf(LIMIT_MS, scale);
  const bottom = topPx + run.lanes.length * lanePx;
  context.fillStyle = pen.role("ink");
  run.lanes.forEach((_, number) => context.fillRect(x - 3, topPx + (number + 1) * lanePx - 80, 3, BAR_PX + 16));
  context.fillRect(x - 3, bottom - 32, 88, 26);
  pen.text("100 ms", x + 4, bottom - 13, 18, "paper", { weight: 700 });
  const { unit, ticks } = axisTicks(scale.maxMs, scale.widthPx, 120);
  for (const { x: tick, label } of ticks) {
    if (tick > columnOf(LIMIT_MS, scale) + 120)
      pen.text(`${label} ${unit}`, MARGIN_PX + tick, bottom - 10, 18, "soft-ink", { align: "center" });
  }
}
