/**
 * Yes or no of a person, by the client's own dialog (elicitation). An answer counts only for what was asked, and once:
 * a client may send answers to questions that it was never given.
 */
import { randomUUID } from "node:crypto";
import type { ToolResult } from "./answer.ts";
import type { Consent } from "./tool.ts";

const KEY = "consent";
/** Questions that nobody answered; the oldest are forgotten. */
const MOST_OPEN = 20;

/** What a request brings along of an earlier one. */
export interface Brought {
  readonly state: unknown;
  readonly responses: Readonly<Record<string, unknown>> | undefined;
  readonly canAsk: boolean;
}

export interface Consents {
  ask(
    question: string,
    about: string,
    brought: Brought,
    answers: { readonly yes: string; readonly label: string },
  ): Consent;
}

export function createConsents(): Consents {
  const open = new Map<string, string>();
  return {
    ask(question, about, { state, responses, canAsk }, { label, yes }) {
      const asked = typeof state === "string" ? open.get(state) : undefined;
      if (typeof state === "string") open.delete(state);
      if (asked === about) return saysYes(responses?.[KEY]) ? { kind: "given" } : { kind: "refused" };
      if (!canAsk) return { kind: "cannot-ask" };
      const token = randomUUID();
      open.set(token, about);
      for (const old of [...open.keys()].slice(0, -MOST_OPEN)) open.delete(old);
      const requestedSchema = {
        type: "object",
        properties: { run: { type: "boolean", title: label, description: yes, default: false } },
        required: ["run"],
      };
      const request = { method: "elicitation/create", params: { mode: "form", message: question, requestedSchema } };
      const result: ToolResult = {
        resultType: "input_required",
        inputRequests: { [KEY]: request },
        requestState: token,
        content: [],
      };
      return { kind: "asked", result };
    },
  };
}

function saysYes(response: unknown): boolean {
  const { action, content } = (response ?? {}) as {
    readonly action?: unknown;
    readonly content?: { readonly run?: unknown };
  };
  return action === "accept" && content?.run === true;
}
