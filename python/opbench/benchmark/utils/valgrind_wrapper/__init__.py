# SPDX-License-Identifier: Apache-2.0
"""Instruction counts, where torch.utils.benchmark has them."""
