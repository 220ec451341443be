# SPDX-License-Identifier: Apache-2.0
"""Whole configs on torch, forward and backward: the examples and the models."""

import glob
import json
import os

from torch_case import GENERATOR, ROOT, TorchTest, main, tensor


class Configs(TorchTest):
    def test_examples(self):
        configs = sorted(glob.glob(os.path.join(ROOT, "examples", "configs", "*.json")))
        self.assertGreater(len(configs), 2)
        for config in configs:
            self.assert_all_ok(config)
            self.assert_all_ok(config, "-b")

    def test_models(self):
        image = tensor(1, 3, 64, 64)
        for name in ("alex_net", "resnet"):
            config = self.write("model.json", json.dumps({"pytorch.model." + name: {
                "build_data_generator": GENERATOR, "input_data_generator": GENERATOR,
                "config": [{"build": [], "input": [{"args": [image]}]}]}}))
            results = self.assert_all_ok(config, "-b")
            self.assertIn("backward", results[0]["metric"])


if __name__ == "__main__":
    main()
