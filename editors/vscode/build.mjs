// Bundles the extension into dist/, or with --tests its unit tests into dist-tests/.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const tests = process.argv.includes("--tests");
const entryPoints = tests
  ? readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`)
  : ["src/extension.ts"];
const outdir = tests ? "dist-tests" : "dist";

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints,
  outdir,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  minify: process.argv.includes("--minify"),
  // A stack in the output channel is of use only with names of the source in it.
  keepNames: true,
  logLevel: "warning",
});
