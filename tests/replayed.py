# SPDX-License-Identifier: Apache-2.0
"""What `opbench replay --format json` printed of one step: its row, and its operators by what became of them."""
import json

NOT_COMPUTE = ("communication", "stream", "host")


def _calls(rows):
    return [{"name": row["operator"], "what": row["what"], "reason": row["reason"], "count": row["calls"]} for row in rows]


def summary(text):
    rows = [json.loads(line) for line in text.splitlines()]
    step, parts = rows[-1], rows[:-1]
    apart = NOT_COMPUTE + ("replaced", "in_float32")
    return {
        "coverage": {"nodes": step["ran"] / step["computing"] if step["computing"] else 1.0,
                     "ran": step["ran"], "compute": step["computing"]},
        "skipped": _calls(row for row in parts if row["what"] not in apart + (None,)),
        "not_compute": _calls(row for row in parts if row["what"] in NOT_COMPUTE),
        "replaced": _calls(row for row in parts if row["what"] == "replaced"),
        "in_float32": _calls(row for row in parts if row["what"] == "in_float32"),
        "operators": [{"name": row["operator"], "count": row["calls"], "time_ns": row["time_ns"], "share": row["share"],
                       "low": row["time_low_ns"], "high": row["time_high_ns"]}
                      for row in parts if row["time_ns"] is not None],
        "half_to_bfloat16": step["bfloat16_for_half"] == "true",
        "peak_bytes": step["process_peak"],
        "untouched_bytes": step["untouched"] or 0,
        "status": step["status"],
    }
