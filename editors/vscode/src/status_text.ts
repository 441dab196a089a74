// The words of the status bar.

import { counted } from "./finding_tree";
import type { Status } from "./protocol";

export type ServerStatus = Status | { state: "starting" | "stopped"; message?: string | null };

export interface StatusText {
  text: string;
  tooltip: string;
  severity: "normal" | "warning" | "error";
}

export function statusText(status: ServerStatus): StatusText {
  const detail = status.message ? `\n\n${status.message}` : "";
  switch (status.state) {
    case "starting":
      return { text: "$(sync~spin) Racelens", tooltip: `Racelens is starting.${detail}`, severity: "normal" };
    case "indexing":
      return { text: "$(sync~spin) Racelens: reading", tooltip: `The program is being read.${detail}`, severity: "normal" };
    case "checking": {
      // The counts of the last check stay: numbers that come and go at every key would only flicker.
      const known = status.races + status.violations > 0;
      const text = known ? `$(sync~spin) ${counts(status)}` : "$(sync~spin) Racelens: checking";
      return { text, tooltip: `The program is being checked.${detail}`, severity: "normal" };
    }
    case "ready": {
      const icon = status.races + status.violations > 0 ? "$(warning)" : "$(check)";
      return { text: `${icon} ${counts(status)}`, tooltip: `${found(status)}${detail}`, severity: "normal" };
    }
    case "failed":
      return { text: "$(error) Racelens: failed", tooltip: `The program could not be checked.${detail}`, severity: "error" };
    case "stopped":
      return { text: "$(circle-slash) Racelens", tooltip: `The server is not running.${detail}`, severity: "warning" };
  }
}

function counts(status: Status): string {
  const findings = status.races + status.violations;
  return findings === 0 ? "no races" : counted(findings, status.violations === 0 ? "race" : "finding");
}

function found(status: Status): string {
  const races = status.races === 0 ? "No data race was found." : `${counted(status.races, "data race")} found.`;
  return status.violations === 0 ? races : `${races} ${counted(status.violations, "broken lock annotation")}.`;
}
