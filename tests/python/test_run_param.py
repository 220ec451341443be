#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench.param: scripts for PARAM's library, with their imports changed, in the two manners in which they make inputs.

usage: test_run_param.py [OPBENCH]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402
from opbench.param import (  # noqa: E402
    BenchmarkConfig, ExecutionPass, OpExecutionMode, OpExecutor, create_bench_config, create_data, create_op_args, create_type,
    get_benchmark_options, lib_pytorch, load_modules, make_default_benchmark, make_op_config, run_benchmark, workloads_pytorch)

METRICS = ["warmup.time", "warmup.gpu.memory", "measure.time", "measure.gpu.memory"]


def tensor(make, *shape):
    made = make("tensor")
    made["shape"] = list(shape)
    return made


def run_once(op_name, op_info, run_options):
    """From a config to the metrics, as scripts do it."""
    op_config = make_op_config(op_name, op_info, run_options["device"])
    generator = op_config.input_data_generator()
    args, kwargs = generator.get_data(op_info["config"][0]["input"][0], run_options["device"])
    return OpExecutor(op_name, op_config.op, run_options).run(args, kwargs, "0:0:0")


def appended():
    load_modules(lib_pytorch)
    load_modules(workloads_pytorch)
    bench_config = create_bench_config("torch.mm")
    op_info = bench_config["torch.mm"]
    op_info["config"][0]["input"].append(create_op_args([tensor(create_type, 16, 8), tensor(create_type, 8, 4)], {}))
    run_options = get_benchmark_options()
    run_options["pass_type"] = ExecutionPass.BACKWARD
    run_options["iteration"] = 3
    result = run_once("torch.mm", op_info, run_options)
    check(list(result) == ["forward", "backward"], f"passes {list(result)}")
    check(all(list(metrics) == METRICS for metrics in result.values()), "PARAM's metrics")
    check(len(result["forward"]["measure.time"]) == 3 and len(result["backward"]["warmup.time"]) == 1, "as many as asked for")
    return bench_config


def filled():
    """The older manner: the first input is filled in."""
    op_info = create_bench_config("torch.add")["torch.add"]
    op_info["config"][0]["input"][0]["args"] = [tensor(create_data, 4), tensor(create_data, 4)]
    run_options = {**get_benchmark_options(), "op_exec_mode": OpExecutionMode.CONTINUOUS, "backend": "null", "iteration": 4}
    result = run_once("torch.add", op_info, run_options)
    check(list(result) == ["forward"] and json.loads(json.dumps(op_info))["config"][0]["input"][0]["args"], "filled in")


def loaded(bench_config):
    config = BenchmarkConfig(get_benchmark_options())
    config.load_json(json.dumps(bench_config))
    check(config.has_op("torch.mm") and not config.has_op("torch.add"), "has_op")
    check([op.name for op in config.op_configs] == ["torch.mm"], "op_configs")
    result = run_benchmark(config, backend="null")
    check(len(result) == 1 and result[0]["op_name"] == "torch.mm", "a config runs")
    check(make_default_benchmark(config).run()[0]["op_name"] == "torch.mm", "a benchmark runs")
    check(opbench.run(config, backend="null")[0]["key"] == result[0]["key"], "opbench.run takes it")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "c.json")
        path.write_text(json.dumps(bench_config), encoding="utf-8")
        again = BenchmarkConfig("cpu")
        again.load_json_file(path)
        check(again.bench_config == json.loads(json.dumps(bench_config)), "from a file")


PLACES = """
from opbench.param.lib import pytorch as lib_pytorch
from opbench.param.lib.config import BenchmarkConfig, make_op_config
from opbench.param.lib.init_helper import load_modules
from opbench.param.lib.pytorch.config_util import create_bench_config, ExecutionPass, get_benchmark_options
from opbench.param.lib.pytorch.op_executor import OpExecutor
from opbench.param.workloads import pytorch as workloads_pytorch
import opbench.param.lib.pytorch.config_util as places, opbench.param as param
assert OpExecutor is param.OpExecutor and places.create_type is param.create_type and lib_pytorch is param.lib_pytorch
import opbench
from opbench.param.lib.data import DataGenerator, register_data_generator
from opbench.param.lib.generator import full_range, IterableList, ListProduct, TableProduct
from opbench.param.lib.init_helper import get_logger, init_logging
from opbench.param.lib.iterator import ConfigIterator, genericList_to_list, register_config_iterator, remove_meta_attr
from opbench.param.lib.operator import OperatorInterface, register_operator, register_operators
from opbench.param.lib.pytorch.benchmark import make_default_benchmark
assert OperatorInterface is opbench.OperatorInterface is param.OperatorInterface and DataGenerator is opbench.DataGenerator
assert genericList_to_list({"type": "genericlist", "value": [{"type": "int", "value": 3}]}) == [3]
assert list(ListProduct([full_range(1, 2), IterableList(["a"])])) == [[1, "a"], [2, "a"]] and init_logging() is get_logger()
"""
# What opbench does not have says what to do.
LACKING = {
    "from opbench.param.lib.pytorch.operator_impl import CallableOp": "derive a class from OperatorInterface",
    "from opbench.param.lib.pytorch.data_impl import DefaultDataGenerator": "name PyTorch:DefaultDataGenerator in a config",
    "from opbench.param.lib.iterator import RangeConfigIterator": "name RangeConfigIterator",
    "from opbench.param.lib.pytorch.build_executor import OpBuildExecutor": "run_benchmark of opbench.param",
}


def places():
    """By PARAM's own modules, in a process that has imported nothing of it."""
    done = subprocess.run([sys.executable, "-c", PLACES], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"PARAM's modules: {done.stderr}")
    for line, fix in LACKING.items():
        try:
            exec(line, {})
            check(False, f"{line} is refused")
        except ImportError as error:
            check(fix in str(error) and line.split()[-1] in str(error), f"{line}: {error}")
    check(not hasattr(opbench.param, "nothing"), "an attribute that is not there")


def refused():
    op_info = create_bench_config("torch.mm")["torch.mm"]
    op_info["config"][0]["input"].append(create_op_args([tensor(create_type, 2, 3), tensor(create_type, 2, 3)], {}))
    for what, function in (("must be", lambda: run_once("torch.mm", op_info, get_benchmark_options())),
                           ("no type", lambda: create_type("matrix")), ("is an object", lambda: BenchmarkConfig("cpu").load_json("[]"))):
        try:
            function()
            check(False, f"{what} is refused")
        except opbench.Error as error:
            check(what in str(error), str(error))


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    loaded(appended())
    filled()
    refused()
    places()
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
