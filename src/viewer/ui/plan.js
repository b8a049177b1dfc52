// Plan.
import { h, head, replace } from "./dom.js";

export async function plan(root) {
  replace(root, head("Plan"), h("p", { class: "muted" }, "How many GPUs, how much load, which configuration."));
}
