// Plugin runtime: JSON input and output, and failures in the form that Windlass expects.
import { write } from "windlass:step/log@1.0.0";

/** Reason why there is no output. */
export class Failure extends Error {
  /**
   * @param {"invalid" | "transient" | "failed"} sort the input is invalid; a retry may succeed; a retry would fail again
   * @param {string} message one sentence, lower case, no full stop
   * @param {unknown} [details] observations made before the failure
   */
  constructor(sort, message, details) {
    super(message);
    this.sort = sort;
    this.details = details;
  }
}

/** Builds the interface of a plugin from its description and its `run` function. */
export function plugin({ name, version, purpose, purity, main, input, output, run }) {
  return {
    describe: () => ({
      name,
      version,
      purpose,
      inputSchema: JSON.stringify(input),
      outputSchema: JSON.stringify(output),
      purity,
      more: main === undefined ? [] : [["main", main]],
    }),
    run(text) {
      try {
        const output = JSON.stringify(run(JSON.parse(text)));
        if (output === undefined) throw new Error("`run` returned a value without a JSON form");
        return output;
      } catch (error) {
        throw toStepError(error);
      }
    },
  };
}

const SORTS = ["invalid", "transient", "failed"];

function toStepError(error) {
  if (error instanceof Failure) {
    const details = JSON.stringify(error.details) ?? "";
    // An unknown sort still has a message.
    const tag = SORTS.includes(error.sort) ? error.sort : "failed";
    return { tag, val: { message: error.message, details } };
  }
  // A refusal by the host, in its words.
  const refusal = error?.payload;
  if (typeof refusal?.message === "string") {
    const tag = refusal.code === "invalid" ? "invalid" : "failed";
    return { tag, val: { message: refusal.message, details: "" } };
  }
  // A bug: its location goes to the log.
  const at = String(error?.stack ?? "").trim().split("\n").map((line) => line.trim()).join(", ");
  write("error", `${error} ${at}`);
  return { tag: "failed", val: { message: String(error), details: "" } };
}
