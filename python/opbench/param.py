# SPDX-License-Identifier: Apache-2.0
"""The library interface of PARAM's compute benchmark, by its names, on opbench: make a config, run it, get the metrics.

    from opbench.param import (BenchmarkConfig, ExecutionPass, OpExecutor, create_bench_config, create_op_args, create_type,
                               get_benchmark_options, lib_pytorch, load_modules, make_op_config, workloads_pytorch)

A script that uses them runs with its imports changed; PARAM's own modules exist too, as opbench.param.lib.config and so on.
Operators are opbench's, by PARAM's names. Data is made where it is measured, so a generator passes on a description and no
tensors. docs/python_running.md says what differs.
"""

import copy
import enum
import json
import logging
import sys

from opbench import _run
from opbench._core import Error, InputError
from opbench._param_places import put_modules

__all__ = ["Benchmark", "BenchmarkConfig", "OperatorConfig", "ExecutionPass", "OpExecutionMode", "OpExecutor",
           "create_bench_config", "create_data", "create_op_args", "create_op_info", "create_type", "get_benchmark_options",
           "get_op_run_id", "init_logging", "lib_pytorch", "load_modules", "make_default_benchmark", "make_op_config",
           "run_benchmark", "workloads_pytorch"]

GENERATOR = "PyTorch:DefaultDataGenerator"


@enum.unique
class ExecutionPass(enum.Enum):
    """BACKWARD: a forward and a backward pass."""

    FORWARD = "forward"
    BACKWARD = "backward"


@enum.unique
class OpExecutionMode(enum.Enum):
    """A sample per iteration, per block, or per iteration by the device's events."""

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"
    CONTINUOUS_EVENTS = "continuous_events"


# ---- configs ----

_TYPES = {
    **{name: {"type": name, "value": None} for name in ("int", "long", "float", "double", "bool", "device", "str", "genericlist",
                                                        "tuple")},
    **{f"{name}_range": {"type": name, "value_range": None} for name in ("int", "long", "float", "double")},
    "tensor": {"type": "tensor", "dtype": "float", "shape": None},
}


def create_type(type):  # noqa: A002 (PARAM's name)
    """An argument of this type, without value or shape."""
    if type not in _TYPES:
        raise InputError(f"there is no type {type!r}; the types are {', '.join(_TYPES)}")
    return copy.deepcopy(_TYPES[type])


create_data = create_type


def create_op_args(args, kwargs):
    """The arguments of a build or an input."""
    return {"args": args, "kwargs": kwargs}


class _Inputs(list):
    """Scripts append an input, or fill the first one: it is there as soon as it is asked for."""

    def __getitem__(self, index):
        if index == 0 and not self:
            self.append(create_op_args([], {}))
        return super().__getitem__(index)


def create_op_info():
    """An operator of a config, with no input yet."""
    return {"build_iterator": None, "input_iterator": None, "build_data_generator": None, "input_data_generator": GENERATOR,
            "config": [{"build": [], "input": _Inputs()}]}


def create_bench_config(name):
    """A config of one operator."""
    return {name: create_op_info()}


def _without_nothing(info):
    """opbench refuses what PARAM passes over: names that are null, an empty build."""
    cleaned = {key: value for key, value in info.items() if value is not None}
    cleaned["config"] = [{key: value for key, value in spec.items() if key != "build" or value} for spec in info.get("config", [])]
    if any("build" in spec for spec in cleaned["config"]):
        cleaned.setdefault("build_data_generator", GENERATOR)
    return cleaned


def as_opbench(config):
    """The config as opbench takes it."""
    return {name: _without_nothing(info) if isinstance(info, dict) else info for name, info in config.items()}


class _Describer:
    """Hands on what an argument is to be: values are made in the process that measures."""

    def get_data(self, config, device="cpu", alloc=None):
        """(args, kwargs) as an executor takes them."""
        del device, alloc
        return list(config.get("args", [])), dict(config.get("kwargs", {}))

    def cleanup(self):
        """Nothing is held here."""


class Operator:
    """What is measured; build() keeps the arguments for its constructor."""

    def __init__(self, name, device):
        self.name = name
        self.device = device
        self._build = None

    def build(self, *args, **kwargs):
        self._build = create_op_args(list(args), kwargs)

    def cleanup(self):
        self._build = None


class OperatorConfig:
    """An operator of a config: its name, its specs, its iterators and generators by their names in the config."""

    def __init__(self, name, info, op):
        self.name = name
        self.info = info
        self.op = op
        self.config = info["config"]
        self.build_iterator = info.get("build_iterator") or "DefaultConfigIterator"
        self.input_iterator = info.get("input_iterator") or "DefaultConfigIterator"
        self.build_data_generator = _Describer if info.get("build_data_generator") else None
        self.input_data_generator = _Describer


def make_op_config(op_name, op_info, device):
    """None, with a warning, for an operator that has no input_data_generator: PARAM drops it too."""
    if not isinstance(op_info, dict) or "config" not in op_info:
        raise InputError(f'{op_name} has no "config"; add a list of {{"input": [...]}}')
    if not op_info.get("input_data_generator"):
        logging.getLogger(__name__).warning("%s has invalid input_data_generator: None", op_name)
        return None
    return OperatorConfig(op_name, op_info, Operator(op_name, device))


class BenchmarkConfig:
    """A loaded config; opbench.run takes it too."""

    def __init__(self, run_options="cpu"):
        given = run_options if isinstance(run_options, dict) else {"device": run_options}
        self.run_options = {**get_benchmark_options(), **given}
        self.device = self.run_options["device"]
        self.bench_config = {}
        self._op_configs = []

    def _take(self, config):
        if not isinstance(config, dict):
            raise InputError('a config is an object: {"OPERATOR": {"input_data_generator": ..., "config": [...]}}')
        self.bench_config = config
        made = [make_op_config(name, info, self.device) for name, info in config.items()]
        self._op_configs = [op_config for op_config in made if op_config is not None]

    def load_json_file(self, config_file_name):
        """Loads a file."""
        with open(config_file_name, encoding="utf-8") as file:
            self._take(json.load(file))

    def load_json(self, config_json):
        """Loads a string."""
        self._take(json.loads(config_json))

    def load(self, config):
        """Loads a dict."""
        self._take(config)

    @property
    def op_configs(self):
        return self._op_configs

    def has_op(self, op):
        """Whether it has this operator (PARAM's is always false)."""
        return any(op_config.name == op for op_config in self._op_configs)


# ---- running ----


def load_modules(package):
    """Does nothing: opbench's operators are always there, and OPBENCH_PLUGIN_PATH finds plug-ins."""
    del package


def get_op_run_id(op_name, run_id):
    """The name of a case."""
    return f"{op_name}|{run_id}"


def get_benchmark_options():
    """PARAM's run_options with their defaults, those that opbench has. Others may be set and are kept."""
    return {"device": "cpu", "pass_type": ExecutionPass.FORWARD, "warmup": 1, "iteration": 1,
            "op_exec_mode": OpExecutionMode.DISCRETE, "cuda_l2_cache": True, "time_unit": "millisecond", "out_file_prefix": None,
            "out_stream": None, "resume_op_run_id": None, "stop_op_run_id": None, "backend": None}


def _keywords(run_options):
    """run_options as options of opbench.run."""
    mode = run_options.get("op_exec_mode", run_options.get("op_exe_mode", OpExecutionMode.DISCRETE))
    keywords = {"device": run_options.get("device"), "warmup": run_options.get("warmup"), "iteration": run_options.get("iteration"),
                "backward": run_options.get("pass_type") is ExecutionPass.BACKWARD, "exec_mode": mode.value,
                "backend": run_options.get("backend"), "resume_id": run_options.get("resume_op_run_id"),
                "stop_id": run_options.get("stop_op_run_id")}
    if not run_options.get("cuda_l2_cache", True) and mode is OpExecutionMode.DISCRETE:
        keywords["cache"] = "cold"
    if keywords["device"] == "cpu":
        keywords["device"] = None  # every backend's first
    return {name: value for name, value in keywords.items() if value is not None and value is not False}


class OpExecutor:
    """Measures one operator on arguments, as run_options say."""

    def __init__(self, name, op, run_options):
        self.name = name
        self.op = op
        self.run_options = run_options
        self.record = None

    def run(self, input_args, input_kwargs, op_run_id=None):
        """The metrics: {"forward": {"measure.time": [...], ...}, ...}, times in milliseconds. `record` has all of the result."""
        info = create_op_info()
        info["config"] = [{"input": [create_op_args(input_args, input_kwargs)]}]
        if getattr(self.op, "_build", None) is not None:
            info["config"][0]["build"] = [self.op._build]
        options = {**self.run_options, "resume_op_run_id": None, "stop_op_run_id": None}
        result = _run.run({self.name: _without_nothing(info)}, progress=False, **_keywords(options))
        self.record = result.records[0]
        if self.record["status"] != "ok":
            raise Error(f"{get_op_run_id(self.name, op_run_id or '0:0:0')}: {self.record['status']}: {self.record.get('reason')}")
        return self.record["metric"]


def run_benchmark(config, run_options=None, **options):
    """Runs a BenchmarkConfig, or a dict like its bench_config; returns an opbench.Result."""
    config = getattr(config, "bench_config", config)
    return _run.run(as_opbench(config), **{**_keywords(run_options or get_benchmark_options()), **options})


class Benchmark:
    """A loaded config, to be run with the options that it was made with."""

    def __init__(self, config):
        self.config = config

    def run(self):
        """An opbench.Result."""
        return run_benchmark(self.config, self.config.run_options)


def make_default_benchmark(config):
    """Of a BenchmarkConfig."""
    return Benchmark(config)


def init_logging(log_level=logging.INFO):
    """The logger of what is said here."""
    logging.basicConfig(format="[%(asctime)s] %(filename)s:%(lineno)d [%(levelname)s]: %(message)s")
    logger = logging.getLogger("opbench")
    logger.setLevel(log_level)
    return logger


# ---- PARAM's modules ----


def _find(name):
    """What is not of __all__: the names for workloads, which are the python backend's and are looked for when asked for."""
    import opbench

    if opbench._HOMES.get(name) != "opbench._workloads":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(opbench, name)


_MADE = put_modules(sys.modules[__name__], _find)
# What load_modules is given; opbench's operators are there without being loaded.
lib_pytorch, workloads_pytorch = _MADE["lib.pytorch"], _MADE["workloads.pytorch"]
for _module in _MADE.values():
    vars(_module).update({_name: globals()[_name] for _name in __all__})
__getattr__ = _find
