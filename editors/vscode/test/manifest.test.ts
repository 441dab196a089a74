import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const MANIFEST = readFileSync("package.json", "utf8");

interface Manifest {
  capabilities: { untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string }[];
    walkthroughs: { steps: { description: string }[] }[];
    configuration: { properties: Record<string, { type?: unknown; enum?: unknown[]; description?: string; markdownDescription?: string; default: unknown }> };
  };
}

const { capabilities, contributes } = JSON.parse(MANIFEST) as Manifest;
const declared = contributes.commands.map(({ command }) => command).sort();

function matches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].sort();
}

test("every command that a menu, a link or a button names is declared", () => {
  const named = [
    ...matches(MANIFEST, /command:(racelens\.\w+)/g),
    ...matches(MANIFEST, /"command": "(racelens\.\w+)"/g),
    ...matches(MANIFEST, /onCommand:(racelens\.\w+)/g),
    ...matches(readFileSync("src/status_bar.ts", "utf8"), /command:(racelens\.\w+)/g),
  ];
  assert.deepEqual(
    named.filter((command) => !declared.includes(command)),
    [],
  );
});

test("every declared command is registered, and no other", () => {
  const source = readFileSync("src/extension.ts", "utf8");
  const table = source.slice(source.indexOf("const commands"), source.indexOf("for (const [name, run]"));
  const registered = matches(table, /^ {4}(\w+):/gm).map((name) => `racelens.${name}`);
  assert.deepEqual(registered, declared);
});

test("every setting has a description and a default, and stands in the README", () => {
  const readme = readFileSync("README.md", "utf8");
  for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
    assert.ok(setting.description ?? setting.markdownDescription, name);
    assert.notEqual(setting.default, undefined, name);
    assert.ok(readme.includes(`\`${name}\``), `${name} is not in the README`);
  }
});

test("the steps of the walkthrough are plain text, in which the editor knows only links", () => {
  for (const { description } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    assert.doesNotMatch(description, /[`*]/);
  }
});

test("a folder that is not trusted chooses no program and no file", () => {
  const { supported, restrictedConfigurations } = capabilities.untrustedWorkspaces;
  assert.equal(supported, "limited");
  // A setting of any text is a path; all others choose among words and numbers.
  const paths = Object.entries(contributes.configuration.properties)
    .filter(([, setting]) => setting.type === "string" && setting.enum === undefined)
    .map(([name]) => name);
  assert.deepEqual([...restrictedConfigurations].sort(), paths.sort());
  assert.ok(paths.length >= 5);
});
