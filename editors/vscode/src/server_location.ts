// Where the server is: in the settings, in the extension, or in PATH.

import * as path from "node:path";

export interface Surroundings {
  /** The setting `racelens.server.path`, empty if not set. */
  setting: string;
  extensionFolder: string;
  /** For `~` and for a relative path in the setting. */
  homeFolder: string;
  workspaceFolder: string | undefined;
  /** The environment variable PATH. */
  searchPath: string;
  windows: boolean;
  isExecutable(file: string): boolean;
}

export type ServerLocation = { found: string; origin: "setting" | "extension" | "PATH" } | { missing: string };

export function locateServer(surroundings: Surroundings): ServerLocation {
  const { setting, isExecutable } = surroundings;
  if (setting.trim() !== "") {
    const file = expanded(setting.trim(), surroundings);
    if (isExecutable(file)) {
      return { found: file, origin: "setting" };
    }
    return { missing: `The setting racelens.server.path names ${file}, which is not a program that can be run.` };
  }
  const name = surroundings.windows ? "racelens.exe" : "racelens";
  const bundled = path.join(surroundings.extensionFolder, "server", name);
  if (isExecutable(bundled)) {
    return { found: bundled, origin: "extension" };
  }
  const separator = surroundings.windows ? ";" : ":";
  for (const folder of surroundings.searchPath.split(separator)) {
    // A relative folder in PATH would make the opened project choose the program.
    if (path.isAbsolute(folder) && isExecutable(path.join(folder, name))) {
      return { found: path.join(folder, name), origin: "PATH" };
    }
  }
  return {
    missing:
      "The program racelens was not found: this extension came without it, and it is not in PATH. " +
      "Build it from its source with `cargo install --path server`, or name it in the setting racelens.server.path.",
  };
}

function expanded(setting: string, surroundings: Surroundings): string {
  if (setting === "~" || setting.startsWith("~/")) {
    return path.join(surroundings.homeFolder, setting.slice(1));
  }
  const folder = surroundings.workspaceFolder;
  const named = folder === undefined ? setting : setting.replaceAll("${workspaceFolder}", folder);
  return path.isAbsolute(named) ? named : path.resolve(folder ?? surroundings.homeFolder, named);
}
