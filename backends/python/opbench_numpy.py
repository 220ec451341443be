# SPDX-License-Identifier: Apache-2.0
"""NumPy for opbench's python backend, and the rows that say what NumPy and JAX call an operator."""

import importlib

from opbench_frameworks import Framework, same
from opbench_operators import Refused

# What NumPy and JAX call an operator, and the arguments of the schema that it takes, in its order; others must have their
# default. "dim" is named axis there, "keepdim" keepdims.
ARRAY_FUNCTIONS = {}
for _line in """
add add self other
sub subtract self other
mul multiply self other
div true_divide self other
softmax nn.softmax self dim
log_softmax nn.log_softmax self dim
relu nn.relu self
silu nn.silu self
sigmoid nn.sigmoid self
maximum maximum self other
minimum minimum self other
pow power self exponent
remainder remainder self other
fmod fmod self other
floor_divide floor_divide self other
atan2 arctan2 self other
eq equal self other
ne not_equal self other
lt less self other
le less_equal self other
gt greater self other
ge greater_equal self other
logical_and logical_and self other
logical_or logical_or self other
logical_xor logical_xor self other
bitwise_and bitwise_and self other
bitwise_or bitwise_or self other
bitwise_xor bitwise_xor self other
abs abs self
neg negative self
exp exp self
exp2 exp2 self
expm1 expm1 self
log log self
log2 log2 self
log10 log10 self
log1p log1p self
sqrt sqrt self
reciprocal reciprocal self
sin sin self
cos cos self
tan tan self
asin arcsin self
acos arccos self
atan arctan self
sinh sinh self
cosh cosh self
tanh tanh self
floor floor self
ceil ceil self
trunc trunc self
sign sign self
isnan isnan self
isinf isinf self
logical_not logical_not self
where where condition self other
mm matmul self mat2
bmm matmul self mat2
mv matmul self vec
matmul matmul self other
dot dot self tensor
outer outer self vec2
sum sum self dim keepdim
mean mean self dim keepdim
prod prod self dim keepdim
amax amax self dim keepdim
amin amin self dim keepdim
all all self dim keepdim
any any self dim keepdim
argmax argmax self dim keepdim
argmin argmin self dim keepdim
cumsum cumsum self dim
cat concatenate tensors dim
stack stack tensors dim
reshape reshape self shape
flip flip self dims
clamp clip self min max
tril tril self diagonal
triu triu self diagonal
""".split("\n"):
    if _line:
        _words = _line.split()
        ARRAY_FUNCTIONS["aten::" + _words[0]] = (_words[1], _words[2:])


class Arrays(Framework):
    """NumPy, and what has its functions under the same names."""

    NAMES = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "diagonal": "k"}

    def special(self, kind, what):
        if kind == "dtype":
            return self.dtype(what)
        if kind == "device":
            return what
        return super().special(kind, what)

    def dtype(self, name):
        if name == "bfloat16":
            try:
                return importlib.import_module("ml_dtypes").bfloat16
            except ImportError:
                raise Refused("%s has no bfloat16 without the package ml_dtypes" % self.name) from None
        return self.numpy.dtype(name)

    def strided(self, memory, dtype, sizes, strides):
        kind = self.numpy.dtype(self.dtype(dtype))
        if len(memory) == 0:
            return self.numpy.empty(sizes, kind)
        flat = self.numpy.frombuffer(memory, dtype=kind)
        return self.numpy.lib.stride_tricks.as_strided(flat, sizes, [stride * kind.itemsize for stride in strides])

    def operator(self, call):
        row = ARRAY_FUNCTIONS.get(call.name)
        found = self.find(row[0]) if row else None
        if found is None:
            raise Refused("%s has no row for %s" % (self.name, call.short()))
        extra = [name for name, _, operand, has_default, default, _ in call.arguments
                 if name not in row[1] and not (has_default and operand[0] == "value" and same(operand[1], default))]
        if extra:
            raise Refused("%s has no %s for %s" % (self.name, ", ".join(extra), call.short()))
        order = [name for name, _, _, _, _, _ in call.arguments]
        positional, named = call.given()
        if not named and not set(order[:len(positional)]) & set(self.NAMES):
            return found
        by_place = [name for name in row[1] if name not in self.NAMES]

        def renamed(*values, **more):
            given = dict(zip(order, values), **more)
            last = max(n for n, name in enumerate(by_place) if name in given)
            return found(*[given.get(name) for name in by_place[:last + 1]],
                         **{self.NAMES[name]: self.axis(value) for name, value in given.items() if name in self.NAMES})
        return renamed

    def find(self, name):
        return getattr(self.functions, name, None)

    @staticmethod
    def axis(value):
        return tuple(value) if isinstance(value, list) else value

    def export_tensor(self, value):
        host = self.numpy.ascontiguousarray(value).reshape(self.numpy.shape(value))
        return (str(host.dtype), tuple(host.shape), host.__array_interface__["data"][0] if host.size else 0, host)


class NumPy(Arrays):
    name = "numpy"

    def __init__(self, *settings):
        self.numpy = self.functions = importlib.import_module("numpy")
        super().__init__(*settings)
        if self.device != "cpu":
            raise Refused("numpy runs only on cpu")

    def version(self):
        return self.numpy.__version__

    def tensor(self, memory, dtype, sizes, strides, requires_grad):
        return self.strided(memory, dtype, sizes, strides)

    def clone(self, value):
        return value.copy()

    def copy_into(self, live, copy):
        live[...] = copy
