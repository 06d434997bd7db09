// @ts-check
import { close, test } from "/tests/harness.js";
import { clockResolutionMs } from "/static/js/transport/clock.js";

test("the resolution of a clock is the least step that it makes", () => {
  const times = [0, 0, 0, 0.3, 0.3, 0.4, 0.4, 0.4, 0.7, 0.7, 1, 1, 1.3, 1.3];
  let reading = 0;
  close(
    clockResolutionMs(() => times[reading++] ?? reading),
    0.1,
    1e-9,
  );
});
