// Labels under the pointer: dragged they move among those beside them, at their lower edge they
// change the height, at the right edge of all of them their width.
//
// Owns the gesture that goes on. A drag ends in the same choices as the keys of tracks.js.
"use strict";

TimelineFeatures.push((parts) => {
  const NEAR = 5, EDGE = 5;
  const { arrangement, scene, view, root } = parts, { box } = view.labels;
  const split = document.getElementById("tl-split");
  let gesture = null;

  const labelOf = (event) => event.target.closest?.(".tl-label");
  const atEdge = (label, event) => label.getBoundingClientRect().bottom - event.clientY < EDGE
    && label.item.kind !== "heading";

  box.addEventListener("pointerdown", (event) => {
    const label = labelOf(event);
    delete box.dataset.dragged;
    if (!label || event.button > 0) return;
    const { item } = label, kind = atEdge(label, event) ? "height" : "move";
    gesture = { kind, item, y: event.clientY, scale: arrangement.scale.get(item.key) || 1, height: item.height,
      moved: false, pointer: event.pointerId };
  });

  // The item beside which a drag ends, before or after it: among those that stand together.
  function target(y) {
    const { item } = gesture, siblings = scene.siblings(item), beside = new Set(siblings), top = box.getBoundingClientRect().top;
    const seen = view.visible().filter((one) => beside.has(one.key) && Boolean(one.pinned) === Boolean(item.pinned))
      .sort((a, b) => a.y - b.y);
    const after = seen.filter((one) => top + view.yOf(one) + one.height / 2 < y && one.key !== item.key);
    const rest = siblings.filter((key) => key !== item.key);
    return { siblings, place: after.length > 0 ? rest.indexOf(after.at(-1).key) + 1
      : Math.max(0, rest.indexOf(seen.find((one) => one.key !== item.key)?.key)) };
  }

  box.addEventListener("pointermove", (event) => {
    if (!gesture) {
      const label = labelOf(event);
      box.style.cursor = label && atEdge(label, event) ? "row-resize" : "";
      return;
    }
    const by = event.clientY - gesture.y;
    if (!gesture.moved && Math.abs(by) < NEAR) return;
    if (!gesture.moved) box.setPointerCapture(gesture.pointer);
    gesture.moved = true;
    if (gesture.kind === "height") {
      const edge = gesture.item.kind === "track" ? Scene.EDGE : 0, height = gesture.height - edge;
      arrangement.resize(gesture.item.key, gesture.scale * Math.max(1, height + by) / height);
    } else {
      const { siblings, place } = target(event.clientY);
      arrangement.move(gesture.item.key, siblings, place);
    }
    scene.arrange();
    view.arranged();
  });
  const done = () => {
    if (gesture?.moved) {
      box.dataset.dragged = "true"; // the click that follows is none
      parts.settle(gesture.item.key);
    }
    gesture = null;
  };
  box.addEventListener("pointerup", done);
  box.addEventListener("pointercancel", done);

  // ---- the width of the labels

  const widen = (pixels) => {
    arrangement.widen(Math.min(pixels, root.clientWidth * 0.7));
    root.style.setProperty("--gutter", `${arrangement.gutter}px`);
    split.setAttribute("aria-valuenow", String(Math.round(arrangement.gutter)));
  };
  split.setAttribute("aria-valuenow", String(Math.round(box.clientWidth)));
  split.addEventListener("pointerdown", (event) => {
    split.setPointerCapture(event.pointerId);
    split.onpointermove = (move) => widen(move.clientX - box.getBoundingClientRect().left);
  });
  split.addEventListener("pointerup", () => {
    split.onpointermove = null;
    arrangement.keep();
  });
  split.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    widen(box.clientWidth + by);
    arrangement.keep();
  });
});
