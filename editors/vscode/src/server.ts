// The language server's process and the connection with it.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  State,
  WorkDoneProgress,
  type LanguageClientOptions,
  type ServerOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import { LensCommands } from "./lens_commands";
import {
  CHECK_COMMAND,
  EXPLAIN_COMMAND,
  INTERLEAVING_REQUEST,
  RACES_REQUEST,
  SHOW_INTERLEAVING_COMMAND,
  STATUS_NOTIFICATION,
  VERIFY_COMMAND,
  type Findings,
  type Interleaving,
  type Position,
  type Status,
} from "./protocol";
import { withSearchProgress, type Search } from "./search_progress";
import { locateServer, type ServerLocation } from "./server_location";
import type { ServerStatus } from "./status_text";

export interface ServerEvents {
  onStatus(status: ServerStatus): void;
  onFindings(findings: Findings): void;
  /** The server explained something: `subject` is what it was asked about. */
  onExplanation(subject: string, markdown: string): Promise<void>;
  /** Somebody wants to see an interleaving. */
  onInterleaving(interleaving: Interleaving): void;
}

/** A race by its id, or by the place of one of its accesses. */
export type Asked = [id: string] | [uri: string, position: Position];

/** Tells the server that the editor shows interleavings, and what verifying came to, by itself. */
const OWN_VIEWS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...capabilities.experimental, racelens: { interleavings: true } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

const NO_FINDINGS: Findings = { races: [], violations: [] };

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private asked = 0;
  private readonly lensCommands = new LensCommands();

  constructor(
    private readonly extensionFolder: string,
    private readonly output: vscode.LogOutputChannel,
    private readonly events: ServerEvents,
  ) {}

  async start(): Promise<void> {
    const location = this.locate();
    if ("missing" in location) {
      this.events.onStatus({ state: "stopped", message: location.missing });
      this.output.error(location.missing);
      await this.offerHelp(location.missing);
      return;
    }
    this.output.info(`Starting ${location.found} (from ${location.origin}).`);
    this.events.onStatus({ state: "starting" });
    const client = this.connect(location.found);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const message = `${location.found} could not be started as a language server: ${String(error)}`;
      this.client = undefined;
      this.events.onStatus({ state: "stopped", message });
      this.output.error(message);
      await this.offerHelp(message);
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.events.onFindings(NO_FINDINGS);
    if (client) {
      // A server that has died cannot be asked to stop; that it is gone is all that is wanted.
      await client.dispose().catch((error: unknown) => this.output.warn(String(error)));
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async check(): Promise<void> {
    await this.execute(CHECK_COMMAND, []);
  }

  /** Explains the races at a place first, since they are what the reader came for, and then the place itself. */
  async explainPlace(uri: string, position: Position, races: string[], subject: string): Promise<void> {
    await this.explain(subject, [...races.map((id) => [id]), [uri, position]]);
  }

  async explainFinding(id: string, subject: string): Promise<void> {
    await this.explain(subject, [[id]]);
  }

  /** Looks for an interleaving, and says what came of it. */
  async verify(asked: Asked): Promise<void> {
    const answer = await this.interleavingBy(VERIFY_COMMAND, asked);
    if (!answer) {
      return;
    }
    const message = `Race on ${answer.location_name}: ${answer.summary ?? ""}`;
    if (answer.verdict !== "witnessed") {
      void vscode.window.showInformationMessage(message);
      return;
    }
    const show = "Show Interleaving";
    void vscode.window.showInformationMessage(message, show).then((chosen) => {
      if (chosen === show) {
        this.events.onInterleaving(answer);
      }
    });
  }

  /** Shows the interleaving of a race, which is looked for first if it is not known. */
  async showInterleaving(asked: Asked): Promise<void> {
    const answer = await this.interleavingBy(SHOW_INTERLEAVING_COMMAND, asked);
    if (answer?.verdict === "witnessed") {
      this.events.onInterleaving(answer);
    } else if (answer) {
      void vscode.window.showInformationMessage(`Race on ${answer.location_name}: ${answer.summary ?? ""}`);
    }
  }

  /** What the server knows of a race, without looking for anything. */
  async interleaving(id: string): Promise<Interleaving | undefined> {
    const answer = await this.client?.sendRequest<Interleaving | null>(INTERLEAVING_REQUEST, { id });
    return answer ? respelt(answer) : undefined;
  }

  dispose(): void {
    this.lensCommands.dispose();
    void this.stop();
  }

  private async explain(subject: string, questions: unknown[][]): Promise<void> {
    const answers = await Promise.all(questions.map((question) => this.execute(EXPLAIN_COMMAND, question)));
    const texts = answers.filter((answer) => typeof answer === "string");
    if (texts.length > 0) {
      await this.events.onExplanation(subject, texts.join("\n\n---\n\n"));
    }
  }

  private async interleavingBy(command: string, asked: Asked): Promise<Interleaving | undefined> {
    try {
      const answer = await withSearchProgress((search) => this.execute(command, asked, search));
      return answer ? respelt(answer as Interleaving) : undefined;
    } catch (error) {
      // Who has stopped it knows.
      if (!(error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)) {
        void vscode.window.showWarningMessage(error instanceof Error ? capitalised(error.message) : String(error));
      }
      return undefined;
    }
  }

  private async execute(command: string, values: unknown[], search?: Search): Promise<unknown> {
    const client = this.client;
    if (!client?.isRunning()) {
      void vscode.window.showWarningMessage("The Racelens server is not running.", "Start Server").then((answer) => {
        if (answer) {
          void this.restart();
        }
      });
      return undefined;
    }
    const params = { command, arguments: values };
    if (!search) {
      return client.sendRequest("workspace/executeCommand", params);
    }
    const workDoneToken = `racelens-search-${search.number}`;
    const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (step) => search.tell(step));
    try {
      return await client.sendRequest("workspace/executeCommand", { ...params, workDoneToken }, search.cancellation);
    } finally {
      listening.dispose();
    }
  }

  private connect(program: string): LanguageClient {
    const run: ServerOptions = { command: program, args: ["lsp"] };
    const options: LanguageClientOptions = {
      // The editor takes a header for C++ unless told otherwise.
      documentSelector: [
        { scheme: "file", language: "c" },
        { scheme: "file", pattern: "**/*.h" },
      ],
      initializationOptions: settings(),
      synchronize: { configurationSection: "racelens" },
      outputChannel: this.output,
      markdown: { isTrusted: { enabledCommands: [EXPLAIN_COMMAND] }, supportHtml: false },
      middleware: {
        // A lens or an action of the server asks for an explanation: the answer has to be shown.
        executeCommand: async (command, values, next) => {
          if (command === VERIFY_COMMAND) {
            return this.verify(values as Asked);
          }
          if (command === SHOW_INTERLEAVING_COMMAND) {
            return this.showInterleaving(values as Asked);
          }
          const answer: unknown = await next(command, values);
          if (command === EXPLAIN_COMMAND && typeof answer === "string") {
            await this.events.onExplanation("Explanation", answer);
          }
          return answer;
        },
        resolveCodeLens: async (lens, token, next) => {
          const resolved = await next(lens, token);
          return resolved ? this.lensCommands.lasting(resolved) : resolved;
        },
      },
    };
    const client = new LanguageClient("racelens", "Racelens", run, options);
    client.registerFeature(OWN_VIEWS);
    client.onNotification(STATUS_NOTIFICATION, (status: Status) => {
      this.events.onStatus(status);
      if (status.state === "ready") {
        void this.fetchFindings(client);
      }
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.client === client) {
        this.events.onStatus({ state: "stopped", message: "The server has ended. Its last words are in the output." });
        this.events.onFindings(NO_FINDINGS);
      }
    });
    return client;
  }

  private async fetchFindings(client: LanguageClient): Promise<void> {
    this.asked += 1;
    const question = this.asked;
    try {
      // Null if the program was not checked yet, and will not be until the user says so.
      const findings = await client.sendRequest<Findings | null>(RACES_REQUEST);
      // An answer that comes after a later question is about text that is gone.
      if (findings && question === this.asked && client === this.client) {
        this.events.onFindings(inEditorTerms(findings));
      }
    } catch (error) {
      this.output.warn(`The list of races could not be fetched: ${String(error)}`);
    }
  }

  private locate(): ServerLocation {
    return locateServer({
      setting: vscode.workspace.getConfiguration("racelens").get<string>("server.path", ""),
      extensionFolder: this.extensionFolder,
      homeFolder: homedir(),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      searchPath: process.env["PATH"] ?? "",
      windows: process.platform === "win32",
      isExecutable,
    });
  }

  private async offerHelp(message: string): Promise<void> {
    const answer = await vscode.window.showErrorMessage(message, "Open Settings", "Show Output");
    if (answer === "Open Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "racelens.server.path");
    } else if (answer === "Show Output") {
      this.output.show(true);
    }
  }
}

/** The server may spell a URI in another of its valid forms than the editor does. */
function inEditorTerms({ races, violations }: Findings): Findings {
  const respelt = <Placed extends { uri: string }>(placed: Placed): Placed => ({
    ...placed,
    uri: vscode.Uri.parse(placed.uri).toString(),
  });
  return {
    races: races.map((race) => ({ ...race, accesses: race.accesses.map(respelt) })),
    violations: violations.map(respelt),
  };
}

function respelt(interleaving: Interleaving): Interleaving {
  const inEditorTerms = (uri: string | null): string | null => (uri === null ? null : vscode.Uri.parse(uri).toString());
  return { ...interleaving, steps: interleaving.steps.map((step) => ({ ...step, uri: inEditorTerms(step.uri) })) };
}

function capitalised(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function settings(): unknown {
  return vscode.workspace.getConfiguration("racelens");
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
