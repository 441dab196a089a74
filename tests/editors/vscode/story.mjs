// The extension in the real editor, on the demo: each step is what a person does and then sees.
//
//   node story.mjs --tools FOLDER --extension FILE.vsix --server FILE --demo FOLDER --work FOLDER
//
// `--images editors/vscode/images` renews the pictures of the extension's README.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";
import { CodeServer } from "./code_server.mjs";
import { Workbench, shown } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: {
    tools: { type: "string" },
    extension: { type: "string" },
    server: { type: "string" },
    demo: { type: "string" },
    work: { type: "string" },
    browser: { type: "string", default: "/usr/bin/chromium" },
    images: { type: "string" },
  },
});

const workspace = path.join(given.work, "demo");
rmSync(workspace, { recursive: true, force: true });
cpSync(given.demo, workspace, { recursive: true });
const races = racesOnTheCommandLine();

const codeServer = new CodeServer({ tools: given.tools, folder: path.join(given.work, "code-server") });
codeServer.install(given.extension);
const address = await codeServer.start(workspace);
const pictures = path.join(given.work, "pictures");
rmSync(pictures, { recursive: true, force: true });
const workbench = await Workbench.open({ address, pictures, browser: given.browser, tools: given.tools });
const began = Date.now();

try {
  await step("a race is marked in the source", async () => {
    await workbench.goTo("cache.c", lineOf("return cache->lookups"), 12);
    await workbench.until("something is marked", () => workbench.squiggles());
    await workbench.picture("marked");
  });

  await step("the status bar counts what the command line counts", async () => {
    await workbench.until(
      `${races.length} races are counted`,
      async () => (await workbench.racelensItem()) === `${races.length} races`,
    );
  });

  await step("the list of problems has a race with its other end", async () => {
    const problems = await workbench.problems();
    await workbench.picture("problems");
    const [first, second] = races.find(({ location }) => location === "cache.lookups").accesses;
    const at = problems.findIndex((row) => row.includes("cache.lookups") && row.includes(`[Ln ${first.line},`));
    assert.ok(at >= 0, `the race is missing in ${JSON.stringify(problems)}`);
    assert.ok(problems[at + 1].includes(`[Ln ${second.line},`), `${problems[at + 1]} is not its other end`);
    await workbench.command("View: Toggle Problems");
  });

  await step("the hover tells the locks", async () => {
    await workbench.goTo("cache.c", lineOf("return cache->lookups"), 20);
    await workbench.hover(/no lock is held/);
    await workbench.picture("hover");
    await workbench.press("Escape");
  });

  await step("a lens tells the threads of a function", async () => {
    await workbench.goTo("cache.c", lineOf("int cache_get("), 5);
    await workbench.until("there is a lens", async () => {
      const found = await workbench.lenses();
      return found.some((lens) => lens.includes("worker"));
    });
    await workbench.picture("lens");
    await workbench.clickLens("worker");
    const explanation = await workbench.explanation();
    assert.match(await explanation.innerText(), /function cache_get/);
    await workbench.command("View: Close Editors in Other Groups");
  });

  await step("the tree leads to both accesses", async () => {
    await workbench.command("Racelens: Show Races");
    const rows = await workbench.until("the tree has every race", async () => {
      const found = await workbench.tree();
      return races.every(({ location }) => found.some((row) => row.startsWith(location))) && found;
    });
    await workbench.picture("races");
    const race = rows.findIndex((row) => row.startsWith("cache.lookups"));
    const [first, second] = races.find(({ location }) => location === "cache.lookups").accesses;
    for (const [offset, access] of [[1, first], [2, second]]) {
      const row = rows[race + offset];
      assert.ok(row.includes(access.thread), `${row} does not name the thread ${access.thread}`);
      await workbench.clickRow(race + offset);
      await workbench.cursorAt(path.basename(access.file), access.line);
    }
  });

  await step("the tree can be grouped by file and by tier", async () => {
    for (const [by, first] of [["File", /^cache\.c ?\d+ races/], ["Tier", /^Possible ?\d+ races/], ["Location", / ↔ /]]) {
      await workbench.command(`Racelens: Group Races by ${by}`);
      await workbench.until(`the tree begins with ${first}`, async () => first.test((await workbench.tree())[0]));
      await workbench.picture(`by-${by.toLowerCase()}`);
    }
  });

  await step("one access leads to the other", async () => {
    const [first, second] = races.find(({ location }) => location === "cache.lookups").accesses;
    await workbench.goTo("cache.c", first.line, first.column);
    await workbench.command("Racelens: Go to the Other Access");
    await workbench.cursorAt("cache.c", second.line);
  });

  await step("an access is explained beside the source, with links to other places", async () => {
    await workbench.command("Racelens: Explain the Access");
    const explanation = await workbench.explanation();
    await workbench.page.waitForTimeout(500);
    await workbench.picture("explanation");
    assert.match(await explanation.innerText(), /data race on cache\.lookups[^]*read of cache->lookups/);
    const [{ file, line }] = races.find(({ location }) => location === "cache.lookups").accesses;
    await explanation.locator("a", { hasText: `${path.basename(file)}:${line}` }).first().click();
    await workbench.cursorAt(path.basename(file), line);
    await workbench.command("View: Close All Editors");
  });

  const closing = races.find(({ location }) => location === "cache.closing");

  await step("a race is verified by its lens, which then shows the interleaving", async () => {
    const [, access] = closing.accesses;
    await workbench.goTo(path.basename(access.file), access.line, access.column);
    await workbench.clickLens("Verify the race on cache.closing");
    const words = await workbench.until("what came of it is said", async () => {
      const shown = await workbench.notification();
      return shown.includes("cache.closing") && shown;
    });
    assert.match(words, /An interleaving of \d+ steps gets there/);
    await workbench.until("the lens has changed", async () => (await workbench.lenses()).includes("Show interleaving"));
    await workbench.picture("verified");
    await workbench.command("Notifications: Clear All Notifications");
  });

  await step("the tree and the problems call it witnessed", async () => {
    await workbench.command("Racelens: Group Races by Tier");
    const rows = await workbench.until("the tree has a group of witnessed races", async () => {
      const found = await workbench.tree();
      return /^Witnessed ?1 race/.test(found[0] ?? "") && found;
    });
    assert.ok(rows[1].startsWith("cache.closing"), rows[1]);
    const problems = await workbench.problems();
    await workbench.picture("witnessed");
    const at = problems.findIndex((row) => row.startsWith("data race on `cache.closing`"));
    assert.ok(at >= 0, `no race is witnessed in ${JSON.stringify(problems)}`);
    assert.match(problems[at + 1], /1\. thread main: /);
    await workbench.command("View: Toggle Problems");
    await workbench.command("Racelens: Group Races by Location");
  });

  await step("the interleaving leads to the lines of its steps, by clicks and by keys", async () => {
    const [, access] = closing.accesses;
    const file = path.basename(access.file);
    await workbench.goTo(file, access.line, access.column);
    await workbench.clickLens("Show interleaving");
    const interleaving = await workbench.interleaving();
    const rows = interleaving.locator("tr[data-step]");
    const count = await rows.count();
    assert.match(shown(await interleaving.locator("thead").innerText()), /0: main 1: worker/);
    // The last two happen at the same time, in the lines of the race.
    const ends = interleaving.locator("tr.end");
    assert.equal(await ends.count(), 2);
    const lines = closing.accesses.slice(0, 2).map(({ line }) => line);
    const texts = await ends.allInnerTexts();
    for (const line of lines) {
      assert.ok(texts.some((text) => text.includes(`${file}:${line} in`)), `no step is in line ${line}: ${texts}`);
    }
    await ends.last().click();
    const clicked = lines.find((line) => texts[1].includes(`${file}:${line} in`));
    await workbench.until("its line is marked", () => workbench.markedLines());
    await workbench.until("the lenses are drawn", async () => (await workbench.lenses()).includes("Show interleaving"));
    await workbench.picture("interleaving");
    await workbench.currentLine(clicked);
    // Upwards to the other access, and to the code.
    const above = lines.find((line) => texts[0].includes(`${file}:${line} in`));
    await workbench.press("ArrowUp");
    await workbench.currentLine(above);
    assert.equal(await interleaving.locator('tr[aria-selected="true"]').getAttribute("data-step"), String(count - 1));
    await workbench.press("Home");
    await workbench.until("the first step is selected", async () => {
      return (await interleaving.locator('tr[aria-selected="true"]').getAttribute("data-step")) === "1";
    });
    await workbench.press("End");
    await workbench.press("Enter");
    await workbench.cursorAt(file, clicked);
    for (const [theme, name] of [["Light Modern", "light"], ["Dark High Contrast", "high-contrast"], ["Dark Modern", "dark"]]) {
      await workbench.theme(theme);
      await workbench.picture(`interleaving-${name}`);
    }
  });

  await step("an edit of a function on the way makes the interleaving out of date", async () => {
    const [, access] = closing.accesses;
    const file = path.basename(access.file);
    await workbench.goTo(file, lineIn(file, "cache_init(&cache)"), 1);
    await workbench.press("End");
    await workbench.page.keyboard.type(" usleep(1);");
    await workbench.until("it is said to be out of date", async () => (await workbench.interleavingText()).includes("out of date"));
    await workbench.until("the lens says so as well", async () => {
      return (await workbench.lenses()).some((lens) => lens.startsWith("Interleaving is out of date"));
    });
    await workbench.picture("out-of-date");
    await workbench.command("File: Revert File");
    await workbench.until("what is undone holds again", async () => {
      const text = await workbench.interleavingText();
      return text !== "" && !text.includes("out of date");
    });
    await workbench.command("View: Close All Editors");
  });

  await step("a quick fix takes the lock, and the race is gone", async () => {
    await workbench.goTo("cache.c", lineOf("return cache->lookups"), 12);
    await workbench.until("something is marked", () => workbench.squiggles());
    const fixes = await workbench.quickFixes();
    await workbench.picture("quick-fixes");
    const fix = fixes.find((title) => title.includes("stats_lock"));
    assert.ok(fix, `no fix takes the lock: ${JSON.stringify(fixes)}`);
    await workbench.takeQuickFix(fix);
    await workbench.until("fewer races are counted", async () => {
      const counted = Number((await workbench.racelensItem()).match(/^(\d+) races?$/)?.[1]);
      return counted < races.length;
    });
    await workbench.until("the tree has the race no longer", async () => {
      const rows = await workbench.tree();
      return rows.length > 0 && !rows.some((row) => row.startsWith("cache.lookups"));
    });
    await workbench.picture("fixed");
  });

  await step("what is undone is a race again", async () => {
    await workbench.press("Control+1");
    await workbench.until("all races are back", async () => {
      await workbench.press("Control+z");
      await workbench.page.waitForTimeout(1500);
      return (await workbench.racelensItem()) === `${races.length} races`;
    });
  });

  await step("a search that takes long is shown, and can be cancelled", async () => {
    // Among all races there is one that nobody gets to within the budget.
    settings({ "racelens.minRank": 0 });
    const far = racesOnTheCommandLine("--min-rank", "0").find(({ location }) => location === "entry.value");
    const [, access] = far.accesses;
    await workbench.goTo(path.basename(access.file), access.line, access.column);
    await workbench.until("there is a lens", async () => (await workbench.lenses()).includes("Verify the race on entry.value"));
    await workbench.clickLens("Verify the race on entry.value");
    await workbench.until("it is shown", async () => (await workbench.notification()).includes("Looking for an interleaving"));
    await workbench.picture("searching");
    await workbench.clickNotification("Cancel");
    await workbench.until("it is over", async () => !(await workbench.notifications()).includes("Looking for an interleaving"));
    assert.ok((await workbench.lenses()).includes("Verify the race on entry.value"), "nothing has come of it");
    settings({});
    await workbench.until("the rank counts again", async () => (await workbench.racelensItem()) === `${races.length} races`);
    await workbench.command("View: Close All Editors");
  });

  await step("a server that is not there is said, with what to do", async () => {
    settings({ "racelens.server.path": "/nowhere/racelens" });
    const words = await workbench.until("a message is shown", async () => {
      const shown = await workbench.notification();
      return shown.includes("/nowhere/racelens") && shown;
    });
    await workbench.picture("no-server");
    assert.match(words, /racelens\.server\.path/);
  });

  if (given.images) {
    for (const name of ["races", "hover", "quick-fixes", "explanation", "interleaving"]) {
      workbench.copyPicture(name, given.images);
    }
  }
  console.log(`vscode: the whole story in ${((Date.now() - began) / 1000).toFixed(1)} s, pictures in ${pictures}`);
} finally {
  await workbench.close();
  await codeServer.stop();
}

async function step(name, act) {
  try {
    await act();
    console.log(`vscode: ok, ${name}`);
  } catch (error) {
    await workbench.picture("failed").catch(() => undefined);
    console.error(`vscode: FAILED, ${name}`);
    throw error;
  }
}

/** Settings of the workspace, instead of those before. */
function settings(values) {
  mkdirSync(path.join(workspace, ".vscode"), { recursive: true });
  writeFileSync(path.join(workspace, ".vscode/settings.json"), JSON.stringify(values));
}

/** Both must tell the same: the editor is compared with what the command line says. */
function racesOnTheCommandLine(...options) {
  let report;
  try {
    report = execFileSync(given.server, ["check", ".", "--format", "json", ...options], { cwd: workspace, encoding: "utf8" });
  } catch (error) {
    // The exit code says that there are races.
    report = error.stdout;
  }
  return JSON.parse(report).races;
}

/** Lines are found by their text, so that the demo may change. */
function lineOf(text) {
  return lineIn("cache.c", text);
}

function lineIn(file, text) {
  const lines = readFileSync(path.join(given.demo, file), "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  assert.ok(index >= 0, `the demo has no line with ${text}`);
  return index + 1;
}
