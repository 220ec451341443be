# SPDX-License-Identifier: Apache-2.0
"""Memory: what is known to be too large is refused before it is made, what grows is ended, and a case
that is wrong in itself is a record."""

import os
import unittest

import harness
from harness import CANONICAL, RunTest, entry, operator, tensor, three_operators


class Memory(RunTest):
    def test_known_size_is_refused(self):
        # 1 TiB: nothing of that could be made here, so it was not tried.
        config = three_operators()
        config["torch.mul"] = operator(entry(tensor(1 << 38), tensor(1)))
        self.run_config(config, "--max-memory", "100", code=1)
        ok, large, also_ok = self.results()
        self.assertEqual((ok["status"], also_ok["status"]), ("ok", "ok"))
        self.assertEqual(large["status"], "out_of_memory")
        self.assertEqual(
            large["reason"], "the case needs at least 1048576.0 MiB, but the limit is 100.0 MiB; use "
            "smaller shapes or a larger --max-memory")

    def test_result_counts_too(self):
        # Inputs of 16 KiB each, broadcast to 64 MiB.
        config = {"torch.add": operator(entry(tensor(4096, 1), tensor(1, 4096)))}
        self.run_config(config, "--max-memory", "60", code=1)
        self.assertEqual(self.results()[0]["status"], "out_of_memory")
        self.run_config(config, "--max-memory", "70", code=0)

    def test_growth_is_ended(self):
        for victim in CANONICAL:
            self.check_growth("grow", victim)

    def test_growth_elsewhere_is_ended(self):
        """In what the worker started, though it left the group, and in files that nobody maps."""
        self.check_growth("grow-file", "torch.mul")
        harness.need_subreaper(self)
        self.check_growth("grow-apart", "torch.mul")

    def check_growth(self, fault, victim):
        self.run_config(three_operators(), "--max-memory", "150", "--case-timeout", "60",
                        "--backend-options", "fault=%s,fault_op=%s" % (fault, CANONICAL[victim]),
                        code=1)
        for r in self.results():
            if r["op_name"] != victim:
                self.assertEqual(r["status"], "ok")
                continue
            self.assertEqual(r["status"], "out_of_memory")
            self.assertRegex(r["reason"],
                             r"^the worker used \d+ MiB, but the limit is 150 MiB; see --max-memory$")
        self.assert_no_process(self.folder)


class MemoryGroup:
    """A control group with a limit, of either version; unittest.SkipTest where none can be made."""

    PLACES = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))

    def __init__(self, limit_bytes):
        for root, file in self.PLACES:
            self.path = os.path.join(root, "opbench-test-%d" % os.getpid())
            try:
                os.mkdir(self.path)
                with open(os.path.join(self.path, file), "w") as limit:
                    limit.write(str(limit_bytes))
                return
            except OSError:
                self.remove()
        raise unittest.SkipTest("no control group for memory can be made here")

    def remove(self):
        try:
            os.rmdir(self.path)
        except OSError:
            pass

    def enter(self):
        with open(os.path.join(self.path, "cgroup.procs"), "w") as processes:
            processes.write(str(os.getpid()))


class KernelKills(RunTest):
    def test_is_told_from_other_kills(self):
        group = MemoryGroup(96 << 20)
        self.addCleanup(group.remove)
        self.run_config(three_operators(), "--max-memory", "4000", "--backend-options",
                        "fault=grow,fault_op=aten::mul.Tensor", code=1, preexec_fn=group.enter)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "out_of_memory", "ok"])
        self.assertIn("the kernel killed the worker (SIGKILL) because memory ran out",
                      self.results()[1]["reason"])
        self.assertEqual(self.results()[1]["signal"], "SIGKILL")


class Setup(RunTest):
    def test_wrong_cases_are_records(self):
        config = three_operators()
        config["torch.mul"] = operator(entry(tensor(4)), entry(tensor(4), tensor(3)))
        config["torch.no_such"] = operator(entry(tensor(4)))
        self.run_config(config, code=1)
        got = {(r["op_name"], r["id"]): r for r in self.results()}
        self.assertEqual({name: r["status"] for name, r in got.items()}, {
            ("torch.add", "0|0|0"): "ok",
            ("torch.mul", "0|0|0"): "invalid",
            ("torch.mul", "0|0|1"): "invalid",
            ("torch.sub", "0|0|0"): "ok",
            ("torch.no_such", "0|0|0"): "unsupported",
        })
        self.assertIn("argument 'other'", got["torch.mul", "0|0|0"]["reason"])
        self.assertIn("[4] and other is [3]", got["torch.mul", "0|0|1"]["reason"])
        self.assertIn("aten::no_such", got["torch.no_such", "0|0|0"]["reason"])

    def test_unsupported_by_the_backend(self):
        self.run_config(three_operators(), "--backend-options", "unsupported=aten::mul.Tensor",
                        code=1)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "unsupported", "ok"])


if __name__ == "__main__":
    harness.main()
