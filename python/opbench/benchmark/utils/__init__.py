# SPDX-License-Identifier: Apache-2.0
"""The modules that torch.utils.benchmark.utils has, for programs that import from them."""
