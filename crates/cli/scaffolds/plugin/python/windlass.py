"""Plugin runtime: JSON input and output, and failures in the form that Windlass expects."""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import handler
from wit_world.imports import log


class Failure(Exception):
    """Reason why there is no output.

    `sort` is `invalid` (the input is invalid), `transient` (a retry may succeed) or `failed` (a retry would fail again);
    `message` is one sentence, lower case, no full stop; `details` are observations made before the failure.
    """

    def __init__(self, sort, message, details=None):
        super().__init__(message)
        self.sort, self.message, self.details = sort, message, details


SORTS = {
    "invalid": handler.StepError_Invalid,
    "transient": handler.StepError_Transient,
    "failed": handler.StepError_Failed,
}


def places(trace):
    """Returns the frames of a traceback, the innermost last."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{code.co_filename}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return ", ".join(found)


def plugin(*, name, version, purpose, purity, input, output, run, main=None):
    """Builds the interface of a plugin from its description and its `run` function."""
    work = run

    class Handler(exports.Handler):
        def describe(self):
            return handler.Description(
                name,
                version,
                purpose,
                json.dumps(input),
                json.dumps(output),
                handler.Purity[purity.upper()],
                [] if main is None else [("main", main)],
            )

        def run(self, input):
            try:
                return json.dumps(work(json.loads(input)))
            except Failure as failure:
                details = "" if failure.details is None else json.dumps(failure.details)
                # An unknown sort still has a message.
                sort = SORTS.get(failure.sort, handler.StepError_Failed)
                raise Err(sort(handler.Failure(str(failure.message), details)))
            except BaseException as error:
                # A bug: its location goes to the log. There are no files, so source lines are not available.
                said = f"{type(error).__name__}: {error}"
                log.write(log.Level.ERROR, f"{said}, at {places(error.__traceback__)}")
                raise Err(handler.StepError_Failed(handler.Failure(said, "")))

    return Handler
