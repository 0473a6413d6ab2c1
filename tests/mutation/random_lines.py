"""Lines of libcore and capi with one thing changed at random: a comparison, an operator, a sign, an index, a number, a
condition, or a statement left out. Not every such line is wrong: some mean the same, or only take more time."""
import random
import re

# (what is found in a line of code, what stands there instead)
CHANGES = [(re.compile(old), new) for old, new in [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"\bif \((?!const |auto )", "if (!"),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \*= ", " /= "), (r" /= ", " *= "), (r"(?<=[(,=] )-(?=\w)", ""),
    (r"(?<![.\w])0\b(?![.x])", "1"), (r"(?<![.\w])1\b(?!\.)", "2"), (r"(?<![.\w])2\b(?!\.)", "3"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\.rows\b", ".cols"), (r"\.cols\b", ".rows"),
    (r"std::min\b", "std::max"), (r"std::max\b", "std::min"), (r"\bstd::(sqrt|abs)\(", "("),
    (r"^ {4,}[\w.:>\-\[\]()]+(\(.*\)| [-+*/]?= .*);$", "    ;")]]
# Comments and declarations; texts; what is said of work, time, threads and memory, which no answer depends on; what only a
# machine with the other order of bytes does.
NO_CODE = re.compile(r'^\s*(//|#|static_assert|using|template|namespace)|["]|constexpr|reserve\(|fail\(|std::endian'
                     r'|\b[sS]tage\b|[wW]ork|rogress|report\(|flop\(|nanosecond|touched|team_size')


class RandomRow:
    def __init__(self, file, line, old, new):
        self.file, self.line, self.old, self.new = file, line, old, new

    def name(self):
        return f"{self.file}:{self.line + 1}: {self.old.strip()}  ->  {self.new.strip()}"

    def broken(self, text):
        lines = text.split("\n")
        assert lines[self.line] == self.old
        lines[self.line] = self.new
        return "\n".join(lines)


def random_rows(root, seed):
    """All that can be changed in the sources below root, one change a line, in the random order that seed gives."""
    rows = []
    for path in sorted([*root.glob("libcore/**/*.cpp"), *root.glob("capi/*.cpp")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            code = line.split("//")[0].rstrip()
            if NO_CODE.search(code):
                continue
            for pattern, new in CHANGES:
                for found in pattern.finditer(code):
                    changed = code[:found.start()] + new + code[found.end():]
                    rows.append(RandomRow(str(path.relative_to(root)), number, line, changed))
    random.Random(seed).shuffle(rows)
    seen = set()
    for row in rows:
        if (row.file, row.line) not in seen:
            seen.add((row.file, row.line))
            yield row
