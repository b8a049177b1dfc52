// Jobs.
import { h, head, replace } from "./dom.js";

export async function jobs(root) {
  replace(root, head("Jobs"), h("p", { class: "muted" }, "What the server is working on."));
}
