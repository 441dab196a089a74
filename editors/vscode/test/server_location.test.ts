import assert from "node:assert/strict";
import { test } from "node:test";
import { locateServer, type ServerLocation, type Surroundings } from "../src/server_location";

function locate(files: string[], more: Partial<Surroundings> = {}): ServerLocation {
  return locateServer({
    setting: "",
    extensionFolder: "/extension",
    homeFolder: "/user",
    workspaceFolder: "/project",
    searchPath: "/bin:/opt/bin",
    windows: false,
    isExecutable: (file) => files.includes(file),
    ...more,
  });
}

const EVERYWHERE = ["/mine/racelens", "/extension/server/racelens", "/opt/bin/racelens"];

test("the setting comes first, then the extension, then PATH", () => {
  assert.deepEqual(locate(EVERYWHERE, { setting: "/mine/racelens" }), { found: "/mine/racelens", origin: "setting" });
  assert.deepEqual(locate(EVERYWHERE), { found: "/extension/server/racelens", origin: "extension" });
  assert.deepEqual(locate(["/opt/bin/racelens"]), { found: "/opt/bin/racelens", origin: "PATH" });
});

test("a setting that names nothing is said, not passed over", () => {
  const location = locate(EVERYWHERE, { setting: "/wrong/racelens" });
  assert.ok("missing" in location);
  assert.match(location.missing, /racelens\.server\.path names \/wrong\/racelens/);
});

test("what to do is said when there is no server", () => {
  const location = locate([]);
  assert.ok("missing" in location);
  assert.match(location.missing, /cargo install/);
  assert.match(location.missing, /racelens\.server\.path/);
});

test("the setting may be relative to the home folder or the project", () => {
  for (const [setting, file] of [
    ["~/racelens", "/user/racelens"],
    ["${workspaceFolder}/out/racelens", "/project/out/racelens"],
    ["out/racelens", "/project/out/racelens"],
  ] as const) {
    assert.deepEqual(locate([file], { setting }), { found: file, origin: "setting" });
  }
});

test("the opened project does not choose the program by a relative folder in PATH", () => {
  assert.ok("missing" in locate(["racelens", "./racelens", "bin/racelens"], { searchPath: ".:bin:" }));
});
