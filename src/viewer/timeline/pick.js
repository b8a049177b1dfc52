// Tracks that a page around asks for, a row of its tables: those of a group, a name, a lane, with spans of a
// category. They are selected for sums, seen, and all of the time is summed up.
//
// Owns which of a person's choices it made itself: the next place that is asked for undoes them.
"use strict";

TimelineFeatures.push((parts) => {
  const { runs, scene, view, time, detail, arrangement } = parts;
  let made = new Set();

  function categoriesOf(run) {
    const out = run.tracks.map(() => new Set()), { rows, track, layout } = run.totalsTable;
    for (let i = 0; i < rows; i++) out[track[i]].add(run.layouts[layout[i]].category);
    return out;
  }

  function tracksOf({ group, track: name, lane, category }) {
    return runs.flatMap((run) => {
      const categories = category === undefined ? null : categoriesOf(run);
      return run.tracks.filter((track) => track.rows > 0
        && (group === undefined || run.groupOf(track) === group || run.groups[track.group] === group)
        && (name === undefined || track.name === name)
        && (lane === undefined || scene.lanes[track.lane] === lane)
        && (!categories || categories[track.index].has(category)));
    });
  }

  function undo() {
    for (const key of made) arrangement.selected.delete(key);
    made = new Set();
    parts.openCategory = undefined;
  }

  parts.unpick = undo;
  parts.pick = (wanted) => {
    const tracks = tracksOf(wanted);
    undo();
    if (tracks.length === 0) return 0;
    arrangement.selected.clear();
    for (const track of tracks) {
      const key = Scene.trackKey(track);
      arrangement.selected.add(key);
      arrangement.hidden.delete(key);
      arrangement.hidden.delete(`L${track.lane}`);
      scene.open.add(`L${track.lane}`);
      made.add(key);
    }
    scene.reveal(tracks[0]);
    view.arranged();
    view.bring(Scene.trackKey(tracks[0]));
    time.fit();
    parts.openCategory = wanted.category;
    detail.mark(time.first, time.last, true);
    return tracks.length;
  };
});
