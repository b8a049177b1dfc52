// Runs.
import { h, head, replace } from "./dom.js";

export async function history(root) {
  replace(root, head("Runs"), h("p", { class: "muted" }, "Every run that is kept, simulated and measured, will be listed here."));
}
