#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion: what the program answers, and what bash, zsh and fish make of it when the tab key is pressed.

usage: test_completion.py PROGRAM

A shell that is not here is left out, and named.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import typed_shell  # noqa: E402  (beside this file)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHELLS = ROOT / "cli/help/shells"
FOLDER = ":folders "
CONFIG = "two words.json"
HOSTILE = ["torch.m'; touch pwned; '", 'torch.m"$(touch pwned)', "torch.m\nls", "torch.m`ls`"]

# words after "opbench", the last one being completed; some of the answers; none of these
ANSWERS = [
    (["l"], ["list"], ["help"]),
    (["--v"], ["--version"], ["--help"]),
    (["list", ""], ["ops", "dtypes"], ["--json"]),
    (["list", "--"], ["--json", "--help"], ["ops"]),
    (["help", "e"], ["expand"], ["list"]),
    (["expand", "-c", "./LIC"], [":files "], ["--count-cases"]),
    # Only the first word of a command is a topic or a command.
    (["list", "ops", ""], [], ["ops", "--json"]),
    (["list", "--json", ""], ["ops"], ["--json"]),
    (["list", "ops", "--"], ["--json"], ["ops"]),
    (["help", "list", ""], [], ["list", "expand"]),
    # Values of options are not words.
    (["expand", ""], [":files "], ["--count-cases"]),
    (["expand", "-"], ["--config", "-c", "--count-cases"], []),
    (["expand", "-c", "LICENSE", "-"], ["--count-cases"], []),
    (["expand", "-d", ""], ["cpu", "null"], ["--count-cases"]),
    (["expand", "--device", "c"], ["cpu"], ["null"]),
    (["run", "--backend", "n"], ["null", "native"], ["cpu", "torch"]),
    (["run", "--backend", "native,to"], ["native,torch"], ["torch", "native,null"]),
    (["run", "--backend", "native,python:co"], ["native,python:compile"], ["native,python", "native,python:eager"]),
    (["run", "--backend=n"], ["--backend=null"], ["null"]),
    (["run", "--exec-mode", "d"], ["discrete"], ["continuous"]),
    (["run", "--exec-mode=d"], ["--exec-mode=discrete"], []),
    (["run", "--config=./LIC"], [":files --config="], []),
    (["run", "--log-level", ""], ["debug", "error"], []),
    (["run", "--roofline", ""], ["off", ":files "], []),
    (["status", ""], [FOLDER], []),
    (["history", ""], ["add", "check"], []),
    (["history", "add", ""], [":files "], ["add"]),
    # What the line has already does not hide what may follow.
    (["run", "--append", "--out"], ["--output", "--output-prefix"], []),
    # Operators, by the names of PyTorch and their own; overloads follow from arguments.
    (["run", "torch.soft"], ["torch.softmax", ":files "], ["torch.add"]),
    (["run", "aten::ad"], ["aten::add", "aten::addmm"], ["aten::add.Tensor"]),
    (["run", "torch.nn.functional.soft"], ["torch.nn.functional.softmax"], ["torch.nn.functional.mm"]),
    (["time", "--op", "torch.nn.Lin"], ["torch.nn.Linear"], []),
    (["run", "./torch.soft"], [":files "], ["torch.softmax"]),
    # Of a config on the line: its operators and its cases.
    (["expand", CONFIG, "--op", ""], ["torch.add", "torch.mm"], ["torch.softmax"]),
    (["run", "-c", CONFIG, "--case", ""], ["torch.add|0|0|0_0", "torch.add|0|0|0_1", "torch.mm|0|0|0_0"], []),
    (["run", "--config=" + CONFIG, "--case", "torch.a"], ["torch.add|0|0|0_1"], ["torch.mm|0|0|0_0"]),
    (["run", CONFIG, "--op", "torch.mm", "--case", ""], ["torch.mm|0|0|0_0"], ["torch.add|0|0|0_0"]),
    (["run", "-c", CONFIG, "--case=torch.add|0|0|0_"], ["--case=torch.add|0|0|0_1"], []),
    # A name that would end a shell's quotes, or a line, is not offered.
    (["expand", "hostile.json", "--op", ""], ["torch.mm"], HOSTILE),
    (["run", "hostile.json", "--case", ""], ["torch.mm|0|0|0_0"], [f"{name}|0|0|0_0" for name in HOSTILE]),
    # No config: nothing to offer, and nothing said. A pipe is not read, nor is a terminal.
    (["run", "--case", ""], [], []),
    (["run", "-c", "LICENSE", "--case", ""], [], []),
    (["run", "-c", "pipe", "--case", ""], [], []),
    (["run", "-c", "-", "--case", ""], [], []),
    # The line of another command within this one.
    (["submit", "--slurm", CONFIG, "--", "--exec-mode", "d"], ["discrete"], []),
    # Who asks for nothing gets nothing; what is wrong is not completed.
    (["nonsense", ""], [], []),
    (["run", "--nonsense", ""], [], []),
    (["__generate", ""], [], []),
    ([], [], []),
]

# a line before the tab key; the words that the shell has then. One candidate, or what all have in common.
LINES = [
    ("{opbench} lis", ["list"]),
    ("{opbench} list dty", ["list", "dtypes"]),
    ("{opbench} expand -c ./one", ["expand", "-c", "./one.json"]),
    ("{opbench} expand --config=./one", ["expand", "--config=./one.json"]),
    ("{opbench} expand -c ./tw", ["expand", "-c", "./two words.json"]),
    ("{opbench} run --exec-mode disc", ["run", "--exec-mode", "discrete"]),
    ("{opbench} run --exec-mode=disc", ["run", "--exec-mode=discrete"]),
    ("{opbench} run --backend native,onednn,to", ["run", "--backend", "native,onednn,torch"]),
    ("{opbench} run torch.nn.functional.softmi", ["run", "torch.nn.functional.softmin"]),
    ("{opbench} run aten::logsumex", ["run", "aten::logsumexp"]),
    ("{opbench} run -c one.json --case 'torch.m", ["run", "-c", "one.json", "--case", "torch.mm|0|0|0_0"]),
    ("{opbench} run -c one.json --case torch.m", ["run", "-c", "one.json", "--case", "torch.mm|0|0|0_0"]),
    ("{opbench} run -c 'two words.json' --case torch.m", ["run", "-c", "two words.json", "--case", "torch.mm|0|0|0_0"]),
    ("{opbench} run -c two\\ words.json --case torch.m", ["run", "-c", "two words.json", "--case", "torch.mm|0|0|0_0"]),
    ("{opbench} status sub", ["status", "subfolder/"]),
]


def tensor(*shape):
    return {"type": "tensor", "dtype": "float", "shape": shape}


TWO = {"type": "tensor", "dtype": ["float", "double"], "shape": [4], "__range__": ["dtype"]}
MM = [tensor(2, 3), tensor(3, 2)]


def config_of(operators):
    return json.dumps({
        name: {"input_iterator": "RangeConfigIterator", "input_data_generator": "PyTorch:DefaultDataGenerator",
               "config": [{"input": [{"args": args}]}]}
        for name, args in operators.items()})


def make_folder(folder):
    for name in ("one.json", CONFIG):
        (folder / name).write_text(config_of({"torch.add": [TWO, tensor(4)], "torch.mm": MM}), encoding="utf-8")
    (folder / "hostile.json").write_text(config_of({"torch.mm": MM, **{name: MM for name in HOSTILE}}), encoding="utf-8")
    (folder / "LICENSE").write_text("no config", encoding="utf-8")
    (folder / "subfolder").mkdir()
    os.mkfifo(folder / "pipe")


def check_answers(program, folder):
    good = True
    for words, some, none in ANSWERS:
        done = subprocess.run([program, "__complete", "--", *words], cwd=folder, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL, timeout=typed_shell.PATIENCE)
        answers = [line.partition("\t")[0] for line in done.stdout.splitlines()]
        missing = [word for word in some if word not in answers]
        extra = [word for word in none if word in answers]
        twice = [word for word in set(answers) if answers.count(word) > 1]
        if missing or extra or twice or done.returncode != 0 or (not some and answers):
            good = False
            print(f"{words}: {answers}, without {missing}, with {extra}, twice {twice}: {done.returncode} {done.stderr}")
    return good


def check_help(program):
    """Answers say what each word is; files and options of backends are known by their rows."""
    said = subprocess.check_output([program, "__complete", "--", "run", "--"], text=True).splitlines()
    texts = dict(line.partition("\t")[::2] for line in said)
    lacking = [name for name, text in texts.items() if not text]
    if "--torchscript" not in texts or lacking:
        print(f"options without a text: {lacking}; of {len(texts)}")
    return "--torchscript" in texts and not lacking


def check_no_plugin(program, folder):
    """A plug-in of the user's is not loaded because a key was pressed."""
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "broken.so").write_text("not an object", encoding="utf-8")
    environment = {**os.environ, "OPBENCH_PLUGIN_PATH": str(plugins)}
    good = True
    for words in (["run", "--backend", ""], ["run", "--device", ""], ["run", "torch.ad"]):
        done = subprocess.run([program, "__complete", "--", *words], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stderr or not done.stdout:
            good = False
            print(f"{words} with a broken plug-in: {done.returncode} {done.stderr}{done.stdout}")
    return good


def check_terminal(name, shell, program):
    good = True
    try:
        for line, wanted in LINES:
            got = shell.complete(line.format(opbench=program))
            # A folder of one candidate may be left open for more.
            if got[1:] != wanted and got[1:] != [word.rstrip("/") for word in wanted]:
                good = False
                print(f"{name}: {line}: {got[1:]} instead of {wanted}")
    except typed_shell.Failure as failure:
        good = False
        print(f"{name}: {failure}")
    finally:
        shell.close()
    return good


def check_fish(shell, program):
    good = True
    for line, wanted in LINES:
        offers = shell.offers(line.format(opbench=program))
        if wanted[-1] not in offers:
            good = False
            print(f"fish: {line}: {offers[:20]} instead of {wanted[-1]}")
    return good


def check_shells(program, folder):
    """By the name of the program, which the shells know it by."""
    tools = folder / "bin"
    tools.mkdir()
    (tools / "opbench").symlink_to(pathlib.Path(program).resolve())
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8"}
    results = []
    for name in ("bash", "zsh", "fish"):
        if not typed_shell.is_here(name):
            print(f"{name} is not here; its completion was not tried")
        elif name == "fish":
            results.append(check_fish(typed_shell.Fish(SHELLS / "opbench.fish", environment, folder), "opbench"))
        elif name == "zsh":
            results.append(check_terminal(name, typed_shell.zsh(SHELLS, environment, folder), "opbench"))
        else:
            results.append(check_terminal(name, typed_shell.bash(SHELLS / "opbench.bash", environment, folder), "opbench"))
    return all(results)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="opbench-completion-") as name:
        folder = pathlib.Path(name)
        make_folder(folder)
        results = [check_answers(program, folder), check_help(program), check_no_plugin(program, folder),
                   check_shells(program, folder)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
