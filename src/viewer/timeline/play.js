// Playback: a moment that moves over the picture, with what every lane has at it.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  TimelineFeatures.push((parts, keys) => {
    const { runs, view, time, scene } = parts, button = byId("tl-play"), speed = byId("tl-speed");
    const live = byId("tl-live"), scrub = byId("tl-scrub");
    const MOST = 16; // figures beside each other
    let now = null, playing = false, last = 0;
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");

    // At speed 1 the whole of the run takes 20 s.
    const perMs = () => (time.last - time.first) / 20000 * Number(speed.value);

    function counters() {
      if (now === null) return;
      const out = [];
      for (const run of runs) {
        const whose = runs.length > 1 ? `${run.word} ` : "";
        for (const { lane, series } of run.activity) {
          const active = Math.round(series.at(now - run.shift) * 100) / 100;
          out.push(`${whose}${scene.lanes[lane]} ${Format.value(active)}`);
        }
        for (const counter of run.counters) {
          const value = counter.derived && counter.series ? counter.series.at(now - run.shift) : NaN;
          if (!Number.isNaN(value)) out.push(`${run.counterName(counter)} ${Format.value(+value.toPrecision(3))} ${counter.unit}`);
        }
      }
      if (out.length > MOST) out.splice(MOST, out.length, `and ${Format.count(out.length - MOST)} more`);
      live.textContent = `${Format.exact(now)} · ${out.join(" · ")}`;
    }

    function moveTo(at, follow) {
      now = Math.min(Math.max(at, time.first), time.last);
      scrub.value = String((now - time.first) / (time.last - time.first) * 1000);
      if (follow && (now < time.from || now > time.to)) time.set(now - time.length * 0.1, now + time.length * 0.9);
      counters();
      view.soon();
    }

    function frame(stamp) {
      if (!playing) return;
      moveTo(now + Math.min(100, stamp - last) * perMs(), true);
      last = stamp;
      if (now >= time.last) stop();
      else requestAnimationFrame(frame);
    }

    function stop() {
      playing = false;
      live.setAttribute("aria-live", "polite"); // read out when it stands still
      button.textContent = "▶";
      button.setAttribute("aria-label", "Play");
    }

    function toggle() {
      if (playing) {
        stop();
        return;
      }
      if (now === null || now >= time.last) {
        moveTo(time.length < (time.last - time.first) * 0.99 ? time.from : time.first, true);
      }
      playing = true;
      live.setAttribute("aria-live", "off");
      button.textContent = "❚❚";
      button.setAttribute("aria-label", "Pause");
      requestAnimationFrame((stamp) => {
        last = stamp;
        if (reduced.matches) { // in steps, not in motion
          stop();
          moveTo(now + (time.last - time.first) / 20, true);
        } else frame(stamp);
      });
    }

    button.addEventListener("click", toggle);
    scrub.addEventListener("input", () => moveTo(time.first + scrub.value / 1000 * (time.last - time.first), true));
    keys[" "] = toggle;
    parts.moment = () => now;
    parts.moveTo = moveTo;
    view.over.push((pen) => {
      if (now === null) return;
      const x = time.x(now);
      pen.fillStyle = view.colours.limit;
      pen.fillRect(Math.round(x) - 1, 0, 2, view.height);
    });
  });
})();
