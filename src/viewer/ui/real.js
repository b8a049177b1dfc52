// Real traces.
import { h, head, replace } from "./dom.js";

export async function real(root) {
  replace(root, head("Real traces"), h("p", { class: "muted" }, "Traces of real machines: uploaded, listed, explained."));
}
