// The workbench as a person uses it: keys, clicks, and what is to be seen on the screen.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const PATIENCE = 30_000;
const TOASTS = ".notifications-toasts .notification-list-item-message";

export class Workbench {
  /** `tools` holds playwright-core as npm installed it. */
  static async open({ address, pictures, browser, tools }) {
    const { chromium } = createRequire(path.join(tools, "package.json"))("playwright-core");
    const instance = await chromium.launch({
      executablePath: browser,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    });
    const page = await instance.newPage({ viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1 });
    page.setDefaultTimeout(PATIENCE);
    mkdirSync(pictures, { recursive: true });
    await page.goto(address, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(".monaco-workbench");
    await page.waitForSelector(".explorer-folders-view .monaco-list-row");
    return new Workbench(instance, page, pictures);
  }

  constructor(instance, page, pictures) {
    this.instance = instance;
    this.page = page;
    this.pictures = pictures;
    this.taken = [];
  }

  async close() {
    await this.instance.close();
  }

  async picture(name) {
    this.taken.push(name);
    await this.page.screenshot({ path: this.pictureFile(name) });
  }

  copyPicture(name, folder) {
    copyFileSync(this.pictureFile(name), path.join(folder, `${name}.png`));
  }

  /** Pictures are numbered in the order in which they were taken. */
  pictureFile(name) {
    const number = String(this.taken.lastIndexOf(name) + 1).padStart(2, "0");
    return path.join(this.pictures, `${number}-${name}.png`);
  }

  /** Waits until `question` gives something true, and gives that. */
  async until(what, question, patience = PATIENCE) {
    const end = Date.now() + patience;
    let last;
    while (Date.now() < end) {
      last = await question();
      if (last) {
        return last;
      }
      await this.page.waitForTimeout(100);
    }
    await this.picture("missing");
    throw new Error(`waited in vain until ${what}`);
  }

  async press(keys) {
    await this.page.keyboard.press(keys);
  }

  async command(title) {
    await this.press("F1");
    const input = this.page.locator(".quick-input-widget input[type=text]");
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await row.waitFor();
    await row.click();
  }

  /** Opens a file of the workspace by its name and puts the cursor at a place in it. */
  async goTo(file, line, column = 1) {
    await this.press("Control+p");
    const input = this.page.locator(".quick-input-widget input[type=text]");
    await input.waitFor();
    await input.fill(`${file}:${line}:${column}`);
    const first = this.page.locator(".quick-input-list .monaco-list-row").first();
    await this.until(`${file} is the first in the list`, async () => {
      return (await first.count()) > 0 && shown(await first.innerText()).startsWith(file);
    });
    await this.press("Enter");
    await this.cursorAt(file, line);
  }

  async cursorAt(file, line) {
    await this.until(`the cursor is in ${file}, line ${line}`, async () => {
      const tab = await this.page.locator(".tab.active").first().getAttribute("data-resource-name");
      const status = await this.statusBar();
      return tab === file && status.includes(`Ln ${line},`);
    });
  }

  async statusBar() {
    return shown(await this.page.locator(".statusbar").innerText());
  }

  async racelensItem() {
    const item = this.page.locator('.statusbar-item[id$="racelens.status"]');
    return (await item.count()) === 0 ? "" : shown(await item.innerText());
  }

  async squiggles() {
    return this.page.locator(".monaco-editor .squiggly-warning, .monaco-editor .squiggly-error").count();
  }

  async lenses() {
    return (await this.page.locator(".codelens-decoration").allInnerTexts()).map(shown);
  }

  async clickLens(title) {
    await this.page.locator(".codelens-decoration a", { hasText: title }).first().click();
  }

  /** Shows the hover at the cursor; its parts come one by one, until it says what is wanted. */
  async hover(wanted) {
    await this.until(`the hover says ${wanted}`, async () => {
      // A lens that arrives moves the lines, which takes a hover away.
      if ((await this.hoverText()) === "") {
        await this.press("Control+k");
        await this.press("Control+i");
        await this.page.waitForTimeout(1000);
      }
      return wanted.test(await this.hoverText());
    });
  }

  async hoverText() {
    return (await this.page.locator(".monaco-hover:not(.hidden)").allInnerTexts()).map(shown).join(" ");
  }

  /** The titles that the light bulb offers at the cursor; the menu stays open. */
  async quickFixes() {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    return this.until("fixes are offered", async () => {
      // Whatever arrives for the editor in the meantime takes the menu away, or ends the question; a person presses again.
      if ((await rows.count()) === 0) {
        await this.press("Control+.");
        await rows.first().waitFor({ timeout: 2000 }).catch(() => undefined);
      }
      const titles = (await rows.allInnerTexts()).map(shown);
      return titles.length > 0 && titles;
    });
  }

  async takeQuickFix(title) {
    await this.page.locator(".action-widget .monaco-list-row.action", { hasText: title }).first().click();
  }

  /** What the rows of the view Races say, from top to bottom. Read at once: the tree may be redrawn at any time. */
  async tree() {
    return (await this.treeRows().allInnerTexts()).map(shown);
  }

  async clickRow(index) {
    await this.treeRows().nth(index).click();
  }

  treeRows() {
    return this.page.locator('.pane-body [role="treeitem"]');
  }

  async problems() {
    await this.command("View: Focus Problems");
    const rows = this.page.locator(".markers-panel .monaco-list-row");
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map(shown);
  }

  async notification() {
    await this.page.locator(TOASTS).first().waitFor();
    return this.notifications();
  }

  /** What the messages say that are shown now. */
  async notifications() {
    return (await this.page.locator(TOASTS).allInnerTexts()).map(shown).join("\n");
  }

  async clickNotification(button) {
    await this.page.locator(".notifications-toasts .notification-list-item a.monaco-button", { hasText: button }).first().click();
  }

  /** The lines that an interleaving marks. */
  async markedLines() {
    return this.page.locator('.monaco-editor .view-overlays [class*="ced-"][class*="TextEditorDecorationType"]').count();
  }

  /** Waits until the editor shows a line as its current one, whoever has the keyboard. */
  async currentLine(line) {
    const current = this.page.locator(".monaco-editor .line-numbers.active-line-number");
    await this.until(`the line is ${line}`, async () => (await current.allInnerTexts()).map(shown).includes(String(line)));
  }

  async theme(name) {
    await this.command("Preferences: Color Theme");
    const input = this.page.locator(".quick-input-widget input[type=text]");
    await input.fill(name);
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    await row.waitFor();
    await row.click();
    await this.page.waitForTimeout(1000);
  }

  async explanation() {
    return this.webview("an explanation is shown", "main.explanation");
  }

  async interleaving() {
    return this.webview("an interleaving is shown", "main.interleaving");
  }

  /** What its page says now; empty while it is drawn anew. */
  async interleavingText() {
    return (await this.interleaving()).innerText({ timeout: 1000 }).catch(() => "");
  }

  /** The page of an extension, which lives in a frame within a frame. */
  async webview(what, selector) {
    return this.until(what, async () => {
      for (const frame of this.page.frames()) {
        const page = frame.locator(selector);
        if ((await page.count().catch(() => 0)) > 0) {
          return page;
        }
      }
      return undefined;
    });
  }
}

/** Text as a person reads it: the editor draws with spaces that do not break, and with line breaks. */
export function shown(text) {
  return text.replace(/\s+/g, " ").trim();
}
