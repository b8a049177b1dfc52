// The built program's `tandem serve` on a free port, with a store that is named. Needs no browser.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const program = path.join(path.resolve(process.env.BUILD || "build"), "tandem");
const started = new Set();

// { url, token, stop() }. With a token every request must bring it.
export async function serve({ token, at }) {
  const { TANDEM_TOKEN, ...rest } = process.env;
  const child = spawn(
    program,
    ["serve", "--listen", "127.0.0.1:0", "--store", at, "--spool", `${at}-spool-${started.size}`],
    { stdio: ["ignore", "ignore", "pipe"], env: token ? { ...rest, TANDEM_TOKEN: token } : rest },
  );
  let log = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (text) => {
      log += text;
      const found = log.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`the server did not start: ${log}`)));
  });
  const server = {
    url,
    token,
    log: () => log,
    async stop() {
      started.delete(server);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    },
  };
  started.add(server);
  return server;
}

export const stopAll = () => Promise.all([...started].map((server) => server.stop()));
