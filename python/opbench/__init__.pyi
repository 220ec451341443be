# What `import opbench` gives; the names come from modules that are imported when they are first used.
from opbench import benchmark as benchmark
from opbench._core import Error as Error
from opbench._core import InputError as InputError
from opbench._child import OpbenchWarning as OpbenchWarning
from opbench._program import program_path as program_path
from opbench._result import Diff as Diff
from opbench._result import Result as Result
from opbench._run import diff as diff
from opbench._run import load as load
from opbench._run import options_of as options_of
from opbench._run import replay as replay
from opbench._run import run as run
from opbench._run import sweep as sweep
from opbench._run import time as time
from opbench._workloads import OperatorInterface as OperatorInterface
from opbench._workloads import register_operator as register_operator
from opbench._workloads import register_operators as register_operators
from opbench._workloads import ConfigIterator as ConfigIterator
from opbench._workloads import DataGenerator as DataGenerator
from opbench._workloads import register_config_iterator as register_config_iterator
from opbench._workloads import register_data_generator as register_data_generator
from opbench._workloads import IterableList as IterableList
from opbench._workloads import ListProduct as ListProduct
from opbench._workloads import TableProduct as TableProduct
from opbench._workloads import full_range as full_range
from opbench._workloads import genericList_to_list as genericList_to_list
from opbench._workloads import get_logger as get_logger
from opbench._workloads import remove_meta_attr as remove_meta_attr
from opbench import capture as capture
from opbench import param as param

__version__: str
__all__: list[str]
