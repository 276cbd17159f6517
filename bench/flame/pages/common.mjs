// What every page measures with. A picture is there when the frame after the one that drew it begins: style, layout and
// painting of the page's own thread are done then.
window.nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

window.fetchText = async (path) => (await fetch(path)).text();

/** Resolves in the frame in which `is()` first holds. */
window.until = (is) =>
  new Promise((resolve) => {
    const look = () => (is() ? resolve() : requestAnimationFrame(look));
    look();
  });

/** Milliseconds from `act` until what it shows is painted; `shown` resolves in the frame that draws it. */
window.timed = async (act, shown) => {
  const waiting = shown();
  const start = performance.now();
  act();
  await waiting;
  await nextFrame();
  return performance.now() - start;
};

/** How frames follow each other while `going` says so: `{frames, elapsed, longest}` in ms. */
window.frames = async (step) => {
  let last = await nextFrame();
  const start = last;
  let count = 0;
  let longest = 0;
  while (step(last - start, count)) {
    const now = await nextFrame();
    longest = Math.max(longest, now - last);
    last = now;
    count++;
  }
  return { frames: count, elapsed: last - start, longest };
};

/** Ten places across the graph, as fractions of its width. */
window.PLACES = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95];
window.STEPS = 6;
/** Slower frames are measured on fewer of them. */
const ENOUGH_MS = 6_000;

/** Zooms with the wheel towards each place and back again, a step a frame; or the first few of these steps. */
window.wheelZoom = (target, delta, steps = PLACES.length * 2 * STEPS) => {
  const { left, top, width } = target.getBoundingClientRect();
  return frames((elapsed, count) => {
    if (count === steps || elapsed > ENOUGH_MS) return false;
    const place = PLACES[Math.floor(count / (2 * STEPS))];
    const closer = count % (2 * STEPS) < STEPS;
    const [offsetX, offsetY] = [place * width, 100];
    target.dispatchEvent(
      new WheelEvent("wheel", {
        clientX: left + offsetX,
        clientY: top + offsetY,
        deltaY: closer ? -delta : delta,
        ctrlKey: true,
        bubbles: true,
        cancelable: true,
      }),
    );
    return true;
  });
};

/** Types into a field as a person does, but all at once. */
window.type = (field, text) => {
  field.focus();
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
};

/** Mean milliseconds until what a pointer over the graph brings about is painted. */
window.hovers = async () => {
  const { left, top, width } = contestant.area();
  let sum = 0;
  for (const [i, place] of PLACES.entries()) {
    const at = { clientX: left + place * width, clientY: top + 30 + 20 * i, bubbles: true, cancelable: true };
    sum += await timed(() => {
      const under = document.elementFromPoint(at.clientX, at.clientY);
      under.dispatchEvent(new PointerEvent("pointermove", at));
      for (const kind of ["mousemove", "mouseover"]) under.dispatchEvent(new MouseEvent(kind, at));
    }, nextFrame);
  }
  if (contestant.hovered?.() === false) throw new Error("nothing is told of the frame under the pointer");
  return sum / PLACES.length;
};
