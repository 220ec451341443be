# SPDX-License-Identifier: Apache-2.0
"""What `opbench replay --format json` printed of one step: its record, and those of its operators by what became of them."""
import json

NOT_COMPUTE = ("communication", "stream", "host")


def _calls(parts, *fates):
    return [{"name": part["op_name"], "what": part["replay"]["what"], "reason": part.get("reason"), "count": part["count"]}
            for part in parts if part["replay"].get("what") in fates]


def _operators(parts):
    """Of those that were timed: all calls of a pass together, as the table has them; a record has the time of one call."""
    times = [part["statistics"]["forward"]["median"] * 1e6 * part["count"] for part in parts]
    intervals = [part["statistics"]["forward"].get("interval", {}) for part in parts]
    return [{"name": part["op_name"], "count": part["count"], "time_ns": time, "share": time / sum(times),
             "low": interval.get("low"), "high": interval.get("high")}
            for part, time, interval in zip(parts, times, intervals)]


def summary(text):
    records = [json.loads(line) for line in text.splitlines()]
    step, parts = records[-1], records[:-1]
    assert all(part["part_of"] == step["key"] for part in parts), "parts of another step"
    replay = step["replay"]
    others = {part["replay"].get("what") for part in parts} - {None, "replaced", "in_float32", *NOT_COMPUTE}
    return {
        "coverage": {"nodes": replay["ran"] / replay["computing"] if replay["computing"] else 1.0,
                     "ran": replay["ran"], "compute": replay["computing"]},
        "skipped": _calls(parts, *others),
        "not_compute": _calls(parts, *NOT_COMPUTE),
        "replaced": _calls(parts, "replaced"),
        "in_float32": _calls(parts, "in_float32"),
        "operators": _operators([part for part in parts if "statistics" in part]),
        "half_to_bfloat16": replay["bfloat16_for_half"],
        "peak_bytes": step["process_peak"],
        "untouched_bytes": replay.get("untouched", 0),
        "status": step["status"],
    }
