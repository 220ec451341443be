# What `import opbench` gives; the names come from modules that are imported when they are first used.
from opbench import benchmark as benchmark
from opbench._core import Error as Error
from opbench._core import InputError as InputError
from opbench._program import program_path as program_path

__version__: str
__all__: list[str]
