// The entry: which page the address means, navigation, light and dark, the token.
import { button, h, head, link, notice, problem, replace, say } from "./dom.js";
import { token } from "./api.js";
import { build } from "./build.js";
import { catalogue } from "./catalogue.js";
import { compare } from "./compare.js";
import { history } from "./history.js";
import { jobs } from "./jobs.js";
import { overlay } from "./overlay.js";
import { plan } from "./plan.js";
import { real } from "./real.js";
import { run } from "./run.js";
import { sweep } from "./sweep.js";
import { whatif } from "./whatif.js";

// { pattern of the address, page, names of its parts, entry of the navigation }
const ROUTES = [
  [/^\/$/, history, [], "/"],
  [/^\/build$/, build, [], "/build"],
  [/^\/run\/(\w+)$/, run, ["id"], "/"],
  [/^\/compare\/(\w+)\/(\w+)$/, compare, ["a", "b"], "/"],
  [/^\/real$/, real, [], "/real"],
  [/^\/real\/(\w+)$/, real, ["id"], "/real"],
  [/^\/overlay\/(\w+)\/(\w+)$/, overlay, ["sim", "real"], "/real"],
  [/^\/plan$/, plan, [], "/plan"],
  [/^\/sweep$/, sweep, [], "/sweep"],
  [/^\/whatif$/, whatif, [], "/whatif"],
  [/^\/gpus$/, catalogue, [], "/gpus"],
  [/^\/jobs$/, jobs, [], "/jobs"],
];

const PAGES = [["/", "Runs"], ["/build", "Build"], ["/real", "Real traces"], ["/plan", "Plan"],
  ["/sweep", "Sweep"], ["/whatif", "What if"], ["/gpus", "GPUs"], ["/jobs", "Jobs"]];

const main = document.getElementById("main"), nav = document.getElementById("nav");
const links = PAGES.map(([path, title]) => h("a", { href: `#${path}`, data: { path } }, title));
replace(nav, [...links, h("a", { href: "/docs", target: "_blank" }, "Manual")]);

// ---- pages

// A page may leave work behind that ends when another page comes: params.leaving(f).
let leaves = [];

async function show() {
  const [path, query] = (location.hash.slice(1) || "/").split("?");
  if (!path.startsWith("/")) return; // a place on the page
  const found = ROUTES.map(([pattern, page, names, entry]) => ({ match: path.match(pattern), page, names, entry }))
    .find((one) => one.match);
  leaves.splice(0).forEach((leave) => leave());
  const root = h("div", { class: "page" }), mine = [];
  leaves = mine;
  for (const link of links) {
    if (link.dataset.path === found?.entry) {
      link.setAttribute("aria-current", "page");
      nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
    } else link.removeAttribute("aria-current");
  }
  replace(main, root);
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  const params = Object.fromEntries((found?.names || []).map((name, i) => [name, found.match[i + 1]]));
  params.query = new URLSearchParams(query || "");
  params.leaving = (leave) => (leaves === mine ? mine.push(leave) : leave());
  try {
    if (found) await found.page(root, params);
    else {
      replace(root, head("Nothing here"), notice("info", `There is no page at ${path}. `,
        h("a", { href: "#/" }, "All runs")));
    }
  } catch (error) {
    if (leaves === mine && !root.querySelector("h1")) {
      root.append(head(error.status === 404 ? "Nothing here" : "This page could not be made", null,
        link("#/", "All runs")));
    }
    if (leaves === mine) root.append(problem(error));
  }
  if (leaves !== mine) return;
  root.dataset.ready = "";
  const title = root.querySelector("h1")?.textContent || "tandem";
  document.title = title === "tandem" ? title : `${title} · tandem`;
  say(title);
}

window.addEventListener("hashchange", show);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// ---- menus: shut by a click elsewhere and by Escape

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.drop[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.drop[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// ---- light and dark: as the reader's settings say, until told

const THEMES = ["auto", "light", "dark"], SIGNS = { auto: "◐", light: "☀", dark: "☾" };
const themeButton = document.getElementById("theme");

function wear(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeButton.textContent = SIGNS[theme];
  themeButton.title = `Colours: ${theme === "auto" ? "as your system" : theme}`;
  themeButton.setAttribute("aria-label", themeButton.title);
}

let theme = localStorage.getItem("tandem.theme");
if (!THEMES.includes(theme)) theme = "auto";
wear(theme);
themeButton.addEventListener("click", () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  localStorage.setItem("tandem.theme", theme);
  wear(theme);
});

// ---- the token: asked once, however many requests want it

let asking = null;

function askToken() {
  asking ||= new Promise((resolve) => {
    const tried = token.get() !== "";
    const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true, size: "40" });
    const form = h("form", { method: "dialog", onsubmit: () => token.set(input.value.trim()) },
      h("h2", {}, "This server wants a token"),
      h("p", { class: "muted" }, "The one that tandem serve was started with. It stays in this tab."),
      tried && notice("error", "That token is not the right one."),
      h("label", { for: "token" }, "Token"), input,
      h("div", { class: "actions" }, button("Cancel", () => dialog.close("cancel")),
        h("button", { class: "button primary", value: "ok" }, "Go on")));
    const dialog = h("dialog", { class: "ask", onclose: () => {
      dialog.remove();
      asking = null;
      resolve(dialog.returnValue === "ok");
    } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
token.wanted = askToken;

show();
