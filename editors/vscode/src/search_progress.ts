// Shows that the server looks for an interleaving, for how long it may, and lets the user stop it.

import * as vscode from "vscode";
import type { WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient/node";

export type ProgressStep = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** A search of the server, from the side of whoever asked for it. */
export interface Search {
  number: number;
  cancellation: vscode.CancellationToken;
  /** Takes what the server says of its progress. */
  tell(step: ProgressStep): void;
}

/** What ends sooner needs no message. */
const DELAY_MILLISECONDS = 400;

let searches = 0;

/** Runs a search, with a message that shows its progress as soon as it takes long. */
export async function withSearchProgress<Answer>(run: (search: Search) => Promise<Answer>): Promise<Answer> {
  const cancellation = new vscode.CancellationTokenSource();
  let shown: vscode.Progress<{ message?: string; increment?: number }> | undefined;
  let percentage = 0;
  searches += 1;
  const running = run({
    number: searches,
    cancellation: cancellation.token,
    tell: (step) => {
      if (step.kind === "report" && shown) {
        const increment = (step.percentage ?? percentage) - percentage;
        percentage += increment;
        shown.report({ increment, ...(step.message === undefined ? {} : { message: step.message }) });
      }
    },
  });
  const message = setTimeout(() => {
    const options = { location: vscode.ProgressLocation.Notification, title: "Looking for an interleaving", cancellable: true };
    void vscode.window.withProgress(options, async (progress, token) => {
      shown = progress;
      token.onCancellationRequested(() => cancellation.cancel());
      await running.catch(() => undefined);
    });
  }, DELAY_MILLISECONDS);
  try {
    return await running;
  } finally {
    clearTimeout(message);
    cancellation.dispose();
  }
}
