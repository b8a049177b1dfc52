// Run.
import { h, head, replace } from "./dom.js";

export async function run(root) {
  replace(root, head("Run"), h("p", { class: "muted" }, "One run: its figures, charts and timeline."));
}
