import { expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import { asUserError } from "./asUserError.ts";

it("knows a UserError of another bundle by its shape, and nothing else", () => {
  const own = new UserError("no-space", "The disk is full.", "Make room.");
  expect(asUserError(own)).toBe(own);
  const other = Object.assign(new Error("The disk is full."), {
    name: "UserError",
    code: "no-space",
    hint: "Make room.",
  });
  expect(asUserError(other)).toMatchObject({ code: "no-space", message: "The disk is full.", hint: "Make room." });
  expect(asUserError(Object.assign(new Error("x"), { code: "ENOENT" }))).toBeUndefined();
  expect(asUserError("text")).toBeUndefined();
});
