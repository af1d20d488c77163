// What every plugin has around its own work: JSON in and out, and failures in the form that Windlass takes.
import { write } from "windlass:step/log@1.0.0";

/** Why there is no output. */
export class Failure extends Error {
  /**
   * @param {"invalid" | "transient" | "failed"} sort the input cannot be worked with; it may work another time; it would
   *   fail again
   * @param {string} message one sentence, lower case, no full stop
   * @param {unknown} [details] what was seen before
   */
  constructor(sort, message, details) {
    super(message);
    this.sort = sort;
    this.details = details;
  }
}

/** Makes the interface of a plugin from what it is and does. */
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
        if (output === undefined) throw new Error("`run` returned nothing that has a JSON form");
        return output;
      } catch (error) {
        throw told(error);
      }
    },
  };
}

const SORTS = ["invalid", "transient", "failed"];

function told(error) {
  if (error instanceof Failure) {
    const details = JSON.stringify(error.details) ?? "";
    // Of a sort that there is not, it is still known why.
    const tag = SORTS.includes(error.sort) ? error.sort : "failed";
    return { tag, val: { message: error.message, details } };
  }
  // What the host refused, in its words.
  const refusal = error?.payload;
  if (typeof refusal?.message === "string") {
    const tag = refusal.code === "invalid" ? "invalid" : "failed";
    return { tag, val: { message: refusal.message, details: "" } };
  }
  // A bug: where it stands goes to the log.
  const at = String(error?.stack ?? "").trim().split("\n").map((line) => line.trim()).join(", ");
  write("error", `${error} ${at}`);
  return { tag: "failed", val: { message: String(error), details: "" } };
}
