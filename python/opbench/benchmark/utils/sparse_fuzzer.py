# SPDX-License-Identifier: Apache-2.0
"""FuzzedSparseTensor of torch.utils.benchmark."""

import math
from typing import Any, Optional, Union

from opbench.benchmark.utils.fuzzer import FuzzedTensor

__all__ = ["FuzzedSparseTensor"]


class FuzzedSparseTensor(FuzzedTensor):
    """A sparse tensor (COO) whose size follows from parameters.

    As in the original, the parameters called density, coalesced and, if sparse_dim is given, sparse_dim are read, whatever
    the names given here; nnz is not used: there are as many entries as density times the sum of the sizes.
    """

    def __init__(
        self,
        name: str,
        size: tuple[Union[str, int], ...],
        min_elements: Optional[int] = None,
        max_elements: Optional[int] = None,
        dim_parameter: Optional[str] = None,
        sparse_dim: Optional[str] = None,
        nnz: Optional[str] = None,
        density: Optional[str] = None,
        coalesced: Optional[str] = None,
        dtype: Any = None,
        cuda: bool = False,
    ) -> None:
        super().__init__(name=name, size=size, min_elements=min_elements, max_elements=max_elements,
                         dim_parameter=dim_parameter, dtype=dtype, cuda=cuda)
        self._density = density
        self._coalesced = coalesced
        self._sparse_dim = sparse_dim

    @staticmethod
    def sparse_tensor_constructor(size: Any, dtype: Any, sparse_dim: int, nnz: int, is_coalesced: bool) -> Any:
        """nnz entries at random places; uncoalesced: each place twice."""
        import torch

        size = [size] * sparse_dim if isinstance(size, (int, float)) else list(size)
        assert nnz == 0 or all(n > 0 for n in size[:sparse_dim]), "invalid arguments"
        shape = [nnz, *size[sparse_dim:]]
        if dtype.is_floating_point:
            values = torch.rand(size=shape, dtype=dtype, device="cpu")
        else:
            values = torch.randint(1, 127, size=shape, dtype=dtype, device="cpu")
        places = torch.rand(sparse_dim, nnz, device="cpu")
        places.mul_(torch.tensor(size[:sparse_dim]).unsqueeze(1).to(places))
        places = places.to(torch.long)
        if not is_coalesced:
            values = torch.cat([values, torch.randn_like(values)], 0)
            places = torch.cat([places, places], 1)
        tensor = torch.sparse_coo_tensor(places, values, torch.Size(size))
        return tensor.coalesce() if is_coalesced else tensor

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        size, _, _ = self._get_size_and_steps(params)
        density = params["density"]
        nnz = math.ceil(sum(size) * density)
        assert nnz <= sum(size)
        sparse_dim = min(params["sparse_dim"], len(size)) if self._sparse_dim else len(size)
        tensor = self.sparse_tensor_constructor(size, self._dtype, sparse_dim, nnz, params["coalesced"])
        if self._cuda:
            tensor = tensor.cuda()
        return tensor, {
            "numel": int(tensor.numel()),
            "shape": tensor.size(),
            "is_coalesced": tensor.is_coalesced(),
            "density": density,
            "sparsity": 1.0 - density,
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "is_hybrid": len(size[tensor.sparse_dim():]) > 0,
            "dtype": str(self._dtype),
        }
