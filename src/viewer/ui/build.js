// Build.
import { h, head, replace } from "./dom.js";

export async function build(root) {
  replace(root, head("Build"), h("p", { class: "muted" }, "A scenario, built and run."));
}
