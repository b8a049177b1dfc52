// Mouse, touch and keyboard on the picture.
//
// Wheel scrolls tracks; with Ctrl, Alt or a pinch it zooms about the pointer, with Shift it pans. A
// drag pans; with Shift, or on the ruler, it marks a range. Owns the gesture that goes on.
"use strict";

const Input = (() => {
  const NEAR = 4;

  function attach(view, actions) {
    const canvas = view.canvas, time = view.time, pointers = new Map();
    let gesture = null;

    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };

    view.scroll.addEventListener("wheel", (event) => {
      const { x } = point(event);
      if (event.ctrlKey || event.altKey || event.metaKey) {
        event.preventDefault();
        time.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.008), x);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        time.pan(event.deltaX || event.deltaY);
      }
    }, { passive: false });

    canvas.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      const at = point(event);
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        gesture = { kind: "pinch", distance: Math.max(10, Math.abs(a.x - b.x)), middle: (a.x + b.x) / 2,
          from: time.from, to: time.to };
      } else {
        gesture = { kind: event.shiftKey || actions.marking() ? "mark" : "pan", begin: at, last: at,
          moved: false, touch: event.pointerType === "touch" };
      }
    });

    canvas.addEventListener("pointermove", (event) => {
      const at = point(event);
      if (!gesture) {
        actions.hover(view.hit(at.x, at.y), event);
        return;
      }
      pointers.set(event.pointerId, at);
      if (gesture.kind === "pinch") {
        const [a, b] = [...pointers.values()];
        if (!b) return;
        const factor = gesture.distance / Math.max(10, Math.abs(a.x - b.x)), middle = (a.x + b.x) / 2;
        const length = (gesture.to - gesture.from) * factor;
        const held = gesture.from + gesture.middle / time.width * (gesture.to - gesture.from);
        const begin = held - middle / time.width * length;
        time.set(begin, begin + length);
        return;
      }
      gesture.moved ||= Math.hypot(at.x - gesture.begin.x, at.y - gesture.begin.y) > NEAR;
      if (!gesture.moved) return;
      if (gesture.kind === "pan") {
        time.pan(gesture.last.x - at.x);
        view.scroll.scrollTop += gesture.last.y - at.y;
      } else {
        actions.mark(time.time(gesture.begin.x), time.time(at.x), false);
      }
      gesture.last = at;
    });

    const done = (event) => {
      pointers.delete(event.pointerId);
      const ended = gesture;
      gesture = null;
      if (!ended || ended.kind === "pinch") return;
      const at = point(event);
      if (!ended.moved) actions.pick(view.hit(at.x, at.y), event);
      else if (ended.kind === "mark") actions.mark(time.time(ended.begin.x), time.time(at.x), true);
    };
    canvas.addEventListener("pointerup", done);
    canvas.addEventListener("pointercancel", (event) => {
      pointers.delete(event.pointerId);
      gesture = null;
    });
    canvas.addEventListener("pointerleave", () => actions.hover(null));
    canvas.addEventListener("dblclick", (event) => {
      const at = point(event), hit = view.hit(at.x, at.y);
      if (hit && hit.span) time.show(hit.span.start + hit.run.shift, hit.span.end + hit.run.shift);
      else if (hit && hit.node) time.show(hit.node.start + hit.run.shift, hit.node.end + hit.run.shift);
    });
    minimap(view);
  }

  function minimap(view) {
    const { mini, time } = view;
    const move = (event) => {
      const box = mini.getBoundingClientRect(), length = time.length;
      const at = time.first + (event.clientX - box.left) / box.width * (time.last - time.first);
      time.set(at - length / 2, at + length / 2);
    };
    mini.addEventListener("pointerdown", (event) => {
      mini.setPointerCapture(event.pointerId);
      move(event);
      mini.onpointermove = move;
    });
    mini.addEventListener("pointerup", () => { mini.onpointermove = null; });
    mini.addEventListener("wheel", (event) => {
      event.preventDefault();
      time.zoom(Math.exp(event.deltaY * 0.004), time.width / 2);
    }, { passive: false });
  }

  // Keys of the picture; `more` adds others: key → function.
  function keys(view, more) {
    const { time, scroll } = view, part = () => time.width * 0.2;
    const table = { a: () => time.pan(-part()), d: () => time.pan(part()), ArrowLeft: () => time.pan(-part()),
      ArrowRight: () => time.pan(part()), w: () => time.zoom(0.7, time.width / 2),
      s: () => time.zoom(1 / 0.7, time.width / 2), "+": () => time.zoom(0.7, time.width / 2),
      "-": () => time.zoom(1 / 0.7, time.width / 2), 0: () => time.fit(),
      ArrowUp: () => { scroll.scrollTop -= 48; }, ArrowDown: () => { scroll.scrollTop += 48; },
      PageUp: () => { scroll.scrollTop -= view.height; }, PageDown: () => { scroll.scrollTop += view.height; },
      Home: () => time.set(time.first, time.first + time.length),
      End: () => time.set(time.last - time.length, time.last),
      ...more };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return; // its own keys
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.key !== "Escape") return;
      const act = table[event.key];
      if (!act) return;
      if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
      event.preventDefault();
      act();
    });
  }
  return { attach, keys };
})();
