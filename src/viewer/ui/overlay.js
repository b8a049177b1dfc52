// Overlay.
import { h, head, replace } from "./dom.js";

export async function overlay(root) {
  replace(root, head("Overlay"), h("p", { class: "muted" }, "A real run laid over a simulated one."));
}
