// What a timeline can do beyond the picture: each file adds a function (parts, keys) to the list,
// which main.js calls in order once everything is there.
"use strict";

const TimelineFeatures = [];
