/** The shape of a tool: what an agent is told of it, what it takes, and what it answers. */
import * as v from "valibot";
import { UserError } from "../../profile/userError.ts";
import { failure, type ToolResult } from "./answer.ts";
import type { Workspace } from "./workspace.ts";

export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [name: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** What a tool may ask of the person in front of the agent. */
export interface Asking {
  /** Aborted when the client does not wait any more. */
  readonly signal: AbortSignal;
  /**
   * @param question for the person
   * @param about what is agreed to: an answer counts for exactly this, once
   */
  consent(question: string, about: string): Consent;
  /** Tells the client now and then that it goes on, where it asked for that. */
  waitingFor<T>(work: Promise<T>): Promise<T>;
}

export type Consent =
  | { readonly kind: "given" }
  | { readonly kind: "refused" }
  /** The client has no way to ask a person. */
  | { readonly kind: "cannot-ask" }
  /** To be returned as it is: the client asks, and calls again. */
  | { readonly kind: "asked"; readonly result: ToolResult };

export interface Tool extends ToolDescription {
  /** @throws UserError */
  call(given: unknown, workspace: Workspace, asking: Asking): Promise<ToolResult>;
}

/** What was given is not what the tool takes. */
export class WrongArguments extends Error {}

export function tool<const F extends v.ObjectEntries>(
  about: Pick<ToolDescription, "name" | "title" | "description"> & {
    /** Of each field, what stands for it: a sentence. */
    readonly says: { readonly [Name in keyof F]: string };
    readonly takes: F;
    readonly runs?: true;
  },
  answer: (
    given: v.InferOutput<v.StrictObjectSchema<F, undefined>>,
    workspace: Workspace,
    asking: Asking,
  ) => Promise<ToolResult>,
): Tool {
  const { name, title, description, takes, says, runs } = about;
  const schema = v.strictObject(takes);
  return {
    name,
    title,
    description,
    inputSchema: jsonSchemaOf(takes, says),
    annotations: { readOnlyHint: runs !== true, destructiveHint: runs === true, openWorldHint: runs === true },
    async call(given, workspace, asking) {
      const read = v.safeParse(schema, given);
      if (!read.success) throw new WrongArguments(v.summarize(read.issues));
      return await answer(read.output, workspace, asking);
    },
  };
}

/** What goes wrong is an answer too: an agent can do better with it. */
export async function answered(call: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UserError) return failure(error.message, error.hint);
    if (error instanceof WrongArguments) return failure(`These are not the tool's arguments: ${error.message}`);
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Of the few kinds of schema that tools are made of; a test compares what both take. */
export function jsonSchemaOf(
  entries: v.ObjectEntries,
  says: Readonly<Record<string, string>>,
): ToolDescription["inputSchema"] {
  const properties = Object.entries(entries).map(([name, entry]) => {
    const schema =
      entry.type === "optional" ? (entry as unknown as { readonly wrapped: v.GenericSchema }).wrapped : entry;
    return [name, { ...typeOf(schema), description: says[name] }];
  });
  const required = Object.entries(entries).flatMap(([name, { type }]) => (type === "optional" ? [] : [name]));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

interface Piped {
  readonly type: string;
  readonly options?: readonly string[];
  readonly item?: Piped;
  readonly pipe?: readonly { readonly type: string; readonly requirement?: number }[];
}

function typeOf(schema: unknown): Json {
  const { type, options, item, pipe = [] } = schema as Piped;
  const bound = (name: string) => pipe.find((action) => action.type === name)?.requirement;
  const given = (bounds: Json) => Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
  switch (type) {
    case "picklist":
      return { type: "string", enum: options };
    case "array":
      return { type, items: typeOf(item), ...given({ maxItems: bound("max_length") }) };
    case "number": {
      const isWhole = pipe.some((action) => action.type === "integer");
      return {
        type: isWhole ? "integer" : type,
        ...given({ minimum: bound("min_value"), maximum: bound("max_value") }),
      };
    }
    default:
      return { type, ...given({ maxLength: bound("max_length") }) };
  }
}
