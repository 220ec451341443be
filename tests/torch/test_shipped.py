# SPDX-License-Identifier: Apache-2.0
"""PARAM's own configs on torch, forward and backward. Its models work on batches of 128 images: minutes, and on a busy
machine many of them, so that this is a test of its own."""

import glob
import os

import torch_case
from torch_case import ROOT, TorchTest, main

SHIPPED = os.path.join(os.path.dirname(ROOT), "shared", "goldens", "param", "shipped")
MODELS = ("alex_net.json", "resnet.json")


class Shipped(TorchTest):
    def configs(self):
        if not os.path.isdir(SHIPPED):
            self.skipTest(f"PARAM's configs are not part of the project, and {SHIPPED} is absent")
        configs = sorted(glob.glob(os.path.join(SHIPPED, "*.json")))
        self.assertGreater(len(configs), 5)
        return configs

    def test_operators(self):
        for config in self.configs():
            if os.path.basename(config) not in MODELS:
                self.assert_all_ok(config, "-w", "0", "-i", "1")
                self.assert_all_ok(config, "-w", "0", "-i", "1", "-b")

    def test_models(self):
        torch_case.LIMIT_S = 3000
        for config in self.configs():
            if os.path.basename(config) in MODELS:  # a backward run measures the forward too
                results = self.assert_all_ok(config, "-w", "0", "-i", "1", "-b")
                self.assertIn("forward", results[0]["metric"])
                self.assertIn("backward", results[0]["metric"])


if __name__ == "__main__":
    main()
