# SPDX-License-Identifier: Apache-2.0
"""Fuzzers for kinds of operators, in the modules where torch.utils.benchmark has them."""
