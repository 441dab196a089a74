// A code-server of its own: fresh settings, the packed extension installed, one workspace.
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import * as path from "node:path";

/** What makes pictures steady, and keeps the editor from saving or asking by itself. */
const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.fontFamily": "DejaVu Sans Mono",
  "editor.stickyScroll.enabled": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

export class CodeServer {
  /** `tools` holds code-server as npm installed it; everything is written below `folder`. */
  constructor({ tools, folder }) {
    this.program = path.join(tools, "node_modules/code-server/out/node/entry.js");
    this.folder = folder;
    this.users = path.join(folder, "user-data");
    this.common = [
      "--config", path.join(folder, "config.yaml"),
      "--user-data-dir", this.users,
      "--extensions-dir", path.join(folder, "extensions"),
    ];
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.join(this.users, "User"), { recursive: true });
    writeFileSync(path.join(folder, "config.yaml"), "");
    writeFileSync(path.join(this.users, "User/settings.json"), JSON.stringify(SETTINGS, undefined, 2));
  }

  install(extension) {
    const options = [this.program, ...this.common, "--install-extension", extension];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`code-server could not install ${extension}:\n${stdout}${stderr}`);
    }
  }

  /** Starts the server and gives the address of the workbench for a workspace. */
  async start(workspace) {
    const port = await freePort();
    const log = createWriteStream(path.join(this.folder, "code-server.log"));
    this.process = spawn(
      process.execPath,
      [this.program, ...this.common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`,
        "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    this.process.stdout.pipe(log);
    this.process.stderr.pipe(log);
    const address = `http://127.0.0.1:${port}`;
    await answering(address, this.process);
    return `${address}/?folder=${encodeURIComponent(workspace)}`;
  }

  async stop() {
    if (this.process && this.process.exitCode === null) {
      const ended = new Promise((resolve) => this.process.once("exit", resolve));
      this.process.kill();
      await ended;
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answering(address, process) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (process.exitCode !== null) {
      throw new Error(`code-server ended with ${process.exitCode}`);
    }
    try {
      await fetch(`${address}/healthz`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  throw new Error("code-server did not answer within a minute");
}
