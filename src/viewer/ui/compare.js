// Comparison.
import { h, head, replace } from "./dom.js";

export async function compare(root) {
  replace(root, head("Comparison"), h("p", { class: "muted" }, "Two runs side by side."));
}
