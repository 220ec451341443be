# SPDX-License-Identifier: Apache-2.0
"""Files in callgrind's format that callgrind itself seldom writes: every kind of line, in random order.

Positions never go below zero, which callgrind_annotate cannot read; a function has one object, for it merges those of
the same name.
"""

FUNCTIONS = ["f", "g", "h", "(below main)", "fib'2", "fib", "operator()", "a b"]
FILES = ["a.c", "/b/b.h", "???", "c d.c"]
OBJECTS = ["/bin/x", "/lib/y.so"]
POSITIONS = {"line": 1, "instr": 1, "instr line": 2}


class Writer:
    def __init__(self, source):
        self.random = source
        self.numbers = {"ob": {}, "fl": {}, "fn": {}}
        self.compressed = source.random() < 0.7
        self.positions = source.choice(sorted(POSITIONS))
        self.events = ["Ir", "Dr", "Dw", "I1mr"][:source.randint(1, 4)]
        self.lines = []
        self.object = None
        self.total = 0

    def name(self, kind, text):
        known = self.numbers[kind]
        if not self.compressed:
            return text
        if text in known and self.random.random() < 0.9:
            return f"({known[text]})"
        known.setdefault(text, len(known) + 1)
        return f"({known[text]}){self.random.choice(['  ', ' '] if text.startswith('(') else ['  ', ' ', ''])}{text}"

    def position(self, absolute=False):
        words = []
        for kind in self.positions.split():
            number = self.random.randint(100, 9999)
            plain = hex(number) if kind == "instr" else str(number)
            words.append(plain if absolute else self.random.choice(["*", f"+{number}", "-1", plain]))
        return " ".join(words)

    def costs(self, count):
        numbers = [count] + [self.random.choice([0, 7]) for _ in self.events[1:]]
        while len(numbers) > 1 and numbers[-1] == 0 and self.random.random() < 0.8:
            numbers.pop()
        return " ".join(map(str, numbers))

    def call(self):
        callee = self.random.choice(FUNCTIONS)
        if object_of(callee) != self.object:
            self.lines.append("cob=" + self.name("ob", object_of(callee)))
        if self.random.random() < 0.5:
            self.lines.append(self.random.choice(["cfi=", "cfl="]) + self.name("fl", self.random.choice(FILES)))
        self.lines += ["cfn=" + self.name("fn", callee), f"calls={self.random.randint(1, 9)} {self.position()}",
                       f"{self.position(True)} {self.costs(self.random.randint(1, 3000))}"]

    def jump(self):
        if self.random.random() < 0.3:
            self.lines.append("jfi=" + self.name("fl", self.random.choice(FILES)))
        if self.random.random() < 0.3:
            self.lines.append("jfn=" + self.name("fn", self.random.choice(FUNCTIONS)))
        self.lines += [self.random.choice(["jump=3 ", "jcnd=1/2 "]) + self.position(), self.position(True) + " "]

    def cost(self):
        count = self.random.randint(0, 1000)
        self.total += count
        self.lines.append(f"{self.position(True)} {self.costs(count)}")

    def inlined(self):
        self.lines.append(self.random.choice(["fi=", "fe="]) + self.name("fl", self.random.choice(FILES)))

    def nothing(self):
        self.lines.append(self.random.choice(["", "   ", "# nothing"]))

    def function(self):
        function = self.random.choice(FUNCTIONS)
        if object_of(function) != self.object:
            self.object = object_of(function)
            self.lines.append("ob=" + self.name("ob", self.object))
        self.lines.append("fl=" + self.name("fl", self.random.choice(FILES)))
        self.lines.append("fn=" + self.name("fn", function))
        for _ in range(self.random.randint(0, 8)):
            self.random.choice([self.cost, self.cost, self.cost, self.call, self.jump, self.inlined, self.nothing])()

    def text(self):
        for _ in range(self.random.randint(1, 15)):
            self.function()
        head = ["# callgrind format", "version: 1", "creator: test", "cmd:  ./x --y: z", "part: 1", "",
                "desc: Trigger: Program termination", "positions: " + self.positions, "event: Ir : Instructions",
                "events: " + " ".join(self.events)]
        # Both, one or none of the sums; callgrind's readers add up themselves then.
        sums = [f"summary: {self.total}"] if self.random.random() < 0.7 else []
        ends = [f"totals: {self.total}"] if self.random.random() < 0.7 else []
        return "\n".join(head + sums + self.lines + ends) + "\n"


def object_of(function):
    return OBJECTS[len(function) % len(OBJECTS)]
