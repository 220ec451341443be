# SPDX-License-Identifier: Apache-2.0
"""Whole configs on the native backend: our examples, those of PARAM's documentation, and PARAM's own where
they lie beside the project; forward and backward, in every mode. Every case must be measured (a backward
that is the difference of two short blocks may be mistrusted).

With --models also AlexNet and ResNet-50 at batch 128 (minutes, and 13 GB of memory)."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHIPPED = os.path.join(os.path.dirname(ROOT), "shared", "goldens", "param", "shipped")
MODELS = ("alex_net", "resnet")
# One of them and one sample where processors are emulated, which takes hours, and in a sanitizer's quick tests.
BRIEF = "OPBENCH_TEST_PATIENCE" in os.environ or "OPBENCH_TEST_BRIEF" in os.environ
MODES = ("discrete", "continuous", "continuous_events")[:1 if BRIEF else 3]
SAMPLES = ("-w", "0", "-i", "1") if BRIEF else ("-w", "1", "-i", "2")
program = None


def config_of_model(name):
    """PARAM's config of a model: no build arguments, one image batch."""
    image = {"type": "tensor", "dtype": "float", "shape": [128, 3, 224, 224]}
    generator = "PyTorch:DefaultDataGenerator"
    return {"pytorch.model." + name: {
        "build_data_generator": generator, "input_data_generator": generator,
        "config": [{"build": [], "input": [{"args": [image]}]}]}}


class Configs(unittest.TestCase):
    def run_all_ok(self, config, *options):
        with tempfile.TemporaryDirectory(prefix="opbench-configs-") as folder:
            output = os.path.join(folder, "records.json")
            done = subprocess.run(
                [program, "run", "-c", config, "-q", "--output", output, *options],
                capture_output=True, text=True, check=False)
            with open(output, encoding="utf-8") as file:
                results = [r for r in map(json.loads, file) if "op_name" in r]
        bad = [(r["op_name"], r["id"], r["status"], r.get("reason")) for r in results
               if r["status"] not in ("ok", "mistrusted")]
        self.assertEqual((bad, done.returncode), ([], 0), f"{config} {options}: {done.stderr}")
        self.assertGreater(len(results), 0)
        return results

    def run_everywhere(self, config):
        for mode in MODES:
            for backward in ((), ("-b",)):
                self.run_all_ok(config, "--exec-mode", mode, *SAMPLES, *backward)

    def test_examples(self):
        configs = sorted(glob.glob(os.path.join(ROOT, "examples", "configs", "*.json")))
        self.assertGreater(len(configs), 2)
        for config in configs:
            self.run_everywhere(config)

    def test_documentation(self):
        for name in ("baddbmm", "embedding_bag"):
            self.run_everywhere(os.path.join(ROOT, "tests", "cli", "configs", name + ".json"))

    def test_registry(self):
        """Every operator of PARAM's registry but the models, ATen operators by schema, a matrix sweep
        with copied sizes, the operators of a LLaMA-2 layer in bfloat16."""
        configs = sorted(glob.glob(os.path.join(HERE, "configs", "*.json")))
        self.assertEqual(len(configs), 4)
        for config in configs:
            self.run_everywhere(config)

    def test_shipped(self):
        if not os.path.isdir(SHIPPED):
            self.skipTest(f"PARAM's configs are not part of the project, and {SHIPPED} is absent")
        for config in sorted(glob.glob(os.path.join(SHIPPED, "*.json"))):
            if os.path.basename(config)[:-5] not in MODELS:
                self.run_everywhere(config)

    def test_backward_has_its_own_samples(self):
        config = os.path.join(ROOT, "tests", "cli", "configs", "baddbmm.json")
        metric = self.run_all_ok(config, "-b", "-w", "0", "-i", "3")[0]["metric"]
        self.assertEqual(len(metric["forward"]["measure.time"]), 3)
        self.assertEqual(len(metric["backward"]["measure.time"]), 3)


class Models(unittest.TestCase):
    def test_batch_of_128(self):
        for name in MODELS:
            with tempfile.TemporaryDirectory(prefix="opbench-models-") as folder:
                config = os.path.join(folder, name + ".json")
                with open(config, "w", encoding="utf-8") as file:
                    json.dump(config_of_model(name), file)
                results = Configs.run_all_ok(self, config, "-b", "-w", "0", "-i", "1")
            self.assertLess(results[0]["process_peak"], 20 << 30)


if __name__ == "__main__":
    program = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], "Models" if "--models" in sys.argv else "Configs"])
