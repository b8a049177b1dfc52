// The server, asked: JSON in, JSON out, errors as ApiError. Long work is a job whose progress is told.
// The token lives in this tab's sessionStorage and goes with every request as a header.

import { bytes } from "./format.js";

const KEY = "tandem.token";

// A sentence of the interface for who reads a page: addresses and commands that list what there is are left out,
// sizes are readable.
const forPages = (text) => text.replace(/[;,:] (?:\/[\w./{}-]+|`?tandem [\w -]+`?) lists? [^.;]*/, "")
  .replace(/\b(\d{5,}) bytes\b/g, (_, size) => bytes(Number(size)));

export class ApiError extends Error {
  constructor(status, told) {
    super(forPages(told?.message || `The server answered ${status}.`));
    this.status = status;
    this.code = told?.code || "unknown";
    this.path = told?.path;
    this.problems = told?.problems;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) || "",
  set: (text) => (text ? sessionStorage.setItem(KEY, text) : sessionStorage.removeItem(KEY)),
  // Asked when the server wants one; app.js puts a prompt here. Resolves to whether one was given.
  wanted: async () => false,
};

const withToken = (headers) => (token.get() ? { ...headers, Authorization: `Bearer ${token.get()}` } : headers);

// A fetch that asks for the token once and tells of a server that is away.
async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: withToken(options.headers || {}), cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { code: "away", message: "The server does not answer. Is tandem serve still running?" });
  }
  if (answer.status === 401 && await token.wanted()) return ask(path, options);
  return answer;
}

async function toldBy(answer) {
  const text = await answer.text();
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    if (answer.ok) throw new ApiError(answer.status, { code: "no_json", message: "The answer is not JSON." });
  }
  if (!answer.ok) throw new ApiError(answer.status, told?.error);
  return told;
}

// Until the job has ended; onProgress({ state, progress, job_id }). Its events are read with fetch, since
// an EventSource cannot send the token; where they break off, the job is asked about.
async function follow(id, onProgress, signal) {
  let ended = false;
  try {
    const answer = await ask(`/v1/jobs/${id}/events`, { signal });
    const reader = answer.ok && answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; reader && !ended;) {
      const { value, done } = await reader.read();
      if (done) break;
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const data = event.match(/^data: (.*)$/m);
        if (data && onProgress) onProgress(JSON.parse(data[1]));
        ended ||= /^event: end$/m.test(event);
      }
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  while (!ended) {
    const state = await get(`/v1/jobs/${id}`);
    if (onProgress) onProgress(state);
    ended = Boolean(state.result);
    if (!ended) await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

// An answer, or what became of the job that it names. As text where `raw`.
async function settled(answer, onProgress, control, raw) {
  if (answer.status === 202) {
    const state = await toldBy(answer);
    if (control) control.job = state.job_id;
    if (onProgress) onProgress(state);
    if (control?.cancelled) await remove(`/v1/jobs/${state.job_id}`);
    await follow(state.job_id, onProgress, control?.abort?.signal);
    answer = await ask(`/v1/jobs/${state.job_id}/result`);
  }
  if (raw && answer.ok) return raw === "blob" ? answer.blob() : answer.text();
  return toldBy(answer);
}

export const get = async (path, onProgress) => settled(await ask(path), onProgress);
// What is no JSON: pages, pictures. With a value it is posted.
export const text = async (path, onProgress, value) =>
  settled(await ask(path, value && body(value)), onProgress, null, "text");
export const put = async (path, value) => toldBy(await ask(path, { ...body(value), method: "PUT" }));
export const remove = async (path) => toldBy(await ask(path, { method: "DELETE" }));

// A text is Lua, anything else becomes JSON.
const body = (value, headers = {}) => (typeof value === "string"
  ? { method: "POST", body: value, headers: { "Content-Type": "text/x-lua", ...headers } }
  : { method: "POST", body: JSON.stringify(value), headers: { "Content-Type": "application/json", ...headers } });

export const post = async (path, value, onProgress) => settled(await ask(path, body(value)), onProgress);

// → { result: promise, cancel() }. A cancelled job's promise fails with code "cancelled".
export function job(path, value, onProgress) {
  const control = { job: null, cancelled: false };
  const result = ask(path, body(value, { Prefer: "respond-async" }))
    .then((answer) => settled(answer, onProgress, control));
  return { result, async cancel() {
    control.cancelled = true;
    if (control.job) await remove(`/v1/jobs/${control.job}`);
  } };
}

// Files as a form, with how much has been sent: onProgress({ state: "sending", progress, sent, bytes }), then
// the job's states. → { result, cancel() }
export function upload(path, files, onProgress, fields = {}) {
  const control = { job: null, cancelled: false }, request = new XMLHttpRequest();
  const send = () => new Promise((resolve, reject) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of [files].flat()) form.append("file", file, file.name);
    request.open("POST", path);
    const headers = withToken({ Prefer: "respond-async" });
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onProgress?.({ state: "sending", sent: event.loaded, bytes: event.total,
      progress: event.total ? event.loaded / event.total : null });
    request.onload = () => resolve(new Response(request.response, { status: request.status }));
    const failed = (code, message) => () => reject(new ApiError(0, { code, message }));
    request.onerror = failed("away", "The upload broke off: the server does not answer.");
    request.onabort = failed("cancelled", "The upload was cancelled.");
    request.send(form);
  });
  const result = (async () => {
    let answer = await send();
    if (answer.status === 401 && await token.wanted()) answer = await send();
    return settled(answer, onProgress, control);
  })();
  return { result, async cancel() {
    control.cancelled = true;
    if (control.job) await remove(`/v1/jobs/${control.job}`);
    else request.abort();
  } };
}

// A file that the server makes, saved under a name.
export async function download(path, name, onProgress) {
  const blob = await settled(await ask(path), onProgress, null, "blob");
  save(blob, name);
}

export function save(blob, name) {
  const address = URL.createObjectURL(blob), link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
