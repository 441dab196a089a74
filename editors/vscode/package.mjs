// Packs the extension into a .vsix.
//
//   npm run package                                    finds the server by setting or in PATH
//   npm run package -- --server path/to/racelens       carries that server, for the system this runs on
//   npm run package -- --out folder/racelens.vsix      where to write it
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { server: { type: "string" }, out: { type: "string" } } });
// npm runs scripts in the folder of package.json; paths are meant from where the user stands.
const from = process.env.INIT_CWD ?? process.cwd();

rmSync("server", { recursive: true, force: true });
const target = [];
if (values.server !== undefined) {
  const program = process.platform === "win32" ? "server/racelens.exe" : "server/racelens";
  mkdirSync("server");
  copyFileSync(path.resolve(from, values.server), program);
  chmodSync(program, 0o755);
  target.push("--target", `${process.platform}-${process.arch}`);
}
copyFileSync("../../LICENSE-MIT", "LICENSE.txt");

const out = values.out === undefined ? [] : ["--out", path.resolve(from, values.out)];
const vsce = path.resolve("node_modules/@vscode/vsce/vsce");
// The bundle contains what it needs of node_modules, and pictures are shown from inside the package.
const options = ["package", "--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository"];
const { status } = spawnSync(process.execPath, [vsce, ...options, ...target, ...out], { stdio: "inherit" });
process.exit(status ?? 1);
