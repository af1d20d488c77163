"""What every plugin has around its own work: JSON in and out, and failures in the form that Windlass takes."""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import handler
from wit_world.imports import log


class Failure(Exception):
    """Why there is no output.

    `sort` is `invalid` (the input cannot be worked with), `transient` (it may work another time) or `failed` (it would
    fail again); `message` one sentence, lower case, no full stop; `details` what was seen before.
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
    """Where an exception was on its way, the innermost last."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{code.co_filename}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return ", ".join(found)


def plugin(*, name, version, purpose, purity, input, output, run, main=None):
    """Makes the interface of a plugin from what it is and does."""
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
                # Of a sort that there is not, it is still known why.
                sort = SORTS.get(failure.sort, handler.StepError_Failed)
                raise Err(sort(handler.Failure(str(failure.message), details)))
            except BaseException as error:
                # A bug: where it stands goes to the log. There are no files, so no lines of the sources either.
                said = f"{type(error).__name__}: {error}"
                log.write(log.Level.ERROR, f"{said}, at {places(error.__traceback__)}")
                raise Err(handler.StepError_Failed(handler.Failure(said, "")))

    return Handler
