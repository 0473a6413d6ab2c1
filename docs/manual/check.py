"""Says what the comments of the header leave out, and which declarations break the law (docs/conventions.md).

    check.py HEADER ...

Every call of the table abi/declarations.txt has its comment, which speaks of each of its arrays and results, of its
statuses (which are statuses) and its cost; every type and every value of an enum has its words, and every name of ours
in a comment exists. Types, and the order of arguments, are those of the law.
"""
import pathlib
import re
import sys

from header import items_of, status_names, text_of


def calls():
    """Those of the table of declarations, which the library exports."""
    table = pathlib.Path(__file__).resolve().parents[2] / "abi/declarations.txt"
    return [line.split()[1] for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("call ")]


def handles_of(header):
    """The opaque structs."""
    return re.findall(r"typedef struct (\w+) \1;", header)


def without_brackets(text):
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


def check(header, exports):
    """The list of what is missing, one sentence each."""
    items, faults, section = items_of(header), [], None
    statuses, of_call, handles = status_names(header), {}, handles_of(header)
    for item in items:
        section = item if item.kind == "section" else section
        for call in item.calls:
            of_call[call["name"]] = (item, section, call)
    faults += [f"{name}: exported, but not declared with a comment" for name in exports if name not in of_call]
    faults += [f"{name}: declared, but not in the list of exports" for name in of_call if name not in exports]
    for name, (item, section, call) in of_call.items():
        def fault(words):
            faults.append(f"{name} (line {item.line_number}): {words}")

        if not re.search(r"\bCosts?\b", item.text):
            fault("no cost")
        if call["type"].strip() == "freeridge_status":
            named = re.search(r"\b[Ss]tatuses\b(.*)", item.text)
            if not named:
                fault("no statuses")
            else:
                sentence = re.split(r"[.](?: |$)", without_brackets(named[1]))[0]
                words = re.findall(r"\b[A-Z][A-Z_]{2,}\b", sentence)
                if not words and "freeridge_" not in sentence and "none" not in sentence:
                    fault("statuses without a name")
                for word in words:
                    if word not in statuses:
                        fault(f"{word} is no status")
        # Arrays and results: named here, in the section's head, or in the comment of a call that this one names.
        said = item.text + " " + section.text
        for other in re.findall(r"\bfreeridge_\w+", item.text):
            said += " " + of_call[other][0].text if other in of_call else ""
        for parameter in call["parameters"].split(","):
            pointer = re.search(r"\*\s*(\w+)$", parameter.strip())
            if pointer and not is_handle(parameter, handles) and not re.search(r"\b%s\b" % pointer[1], said):
                fault(f"nothing about {pointer[1]}")
    for item in items:
        for name, words in re.findall(r"^  (FREERIDGE_\w+) = \d+,?[ \t]*(/\*)?", item.code, re.M):
            if not words:
                faults.append(f"{name}: no words")
        for name, words in re.findall(r"^typedef (?:struct )?\w+ (\w+);[ \t]*(/\*)?", item.code, re.M):
            if not words and (item.kind == "section" or not item.lines):
                faults.append(f"{name}: no words")
    for word in set(re.findall(r"\bfreeridge_\w*[a-z]\b(?!_?\*|\.h)", header)):
        is_type = re.search(r"typedef [\w ]*(?:\(\*)?\b%s\b" % word, header)
        if word not in of_call and not is_type and f"{word}_" not in header:
            faults.append(f"{word}: mentioned, but there is no such name")
    return faults


def is_handle(parameter, handles):
    """A handle that the call works on; one that it makes (**), or takes a list of, has to be spoken of."""
    return re.fullmatch(r"(const )?(%s)\* ?\w+" % "|".join(handles), " ".join(parameter.split())) is not None


def breaches(header):
    """The declarations that break the law, one sentence each."""
    handles, faults = handles_of(header), []
    structs = re.findall(r"typedef struct (\w+) \{", header)
    numbers = ["int32_t", "int64_t", "double"] + re.findall(r"typedef int32_t (\w+);", header)
    plain = "|".join(numbers)
    allowed = re.compile(
        r"(%s)|(const )?(%s|char|void)\*|(const )?(%s)\*|(%s)\*\*|const (%s)\* const\*|freeridge_progress|freeridge_reader"
        % (plain, plain, "|".join(handles + structs), "|".join(handles), "|".join(handles)))
    for item in items_of(header):
        for call in item.calls:
            name, returned = call["name"], call["type"].strip()
            parameters = [" ".join(part.split()).rpartition(" ") for part in call["parameters"].split(",")]
            parameters = [] if call["parameters"].strip() == "void" else [(kind, word) for kind, _, word in parameters]

            def fault(words):
                faults.append(f"{name} (line {item.line_number}): {words}")

            if returned != "freeridge_status" and not (returned == "void" and name.endswith("_destroy")) \
                    and returned != "const char*":
                fault(f"returns {returned}")
            for kind, word in parameters:
                if not allowed.fullmatch(kind):
                    fault(f"{word} has the type {kind}")
            kinds = [kind for kind, _ in parameters]
            on = [kind for kind in kinds if re.fullmatch(r"(const )?(%s)\*" % "|".join(handles), kind)]
            if on and kinds[0] not in on:
                fault("the handle does not come first")
            made = [i for i, kind in enumerate(kinds) if kind.endswith("**")]
            if made and (made != [len(kinds) - 1] or parameters[-1][1] != "out"):
                fault("what it makes is not the last argument, or not `out`")
            data = [kind.startswith("const ") for kind in kinds if kind.endswith("*") and kind not in on]
            if data != sorted(data, reverse=True):
                fault("something goes in after what comes out")
            words = [word for _, word in parameters]
            for word in words:
                if word in ("ldx", "ldy", "lda", "ldout") and words[words.index(word) - 1] != word[2:] \
                        and not (word == "ldout" and words[words.index(word) - 1] in ("variance", "upper", "gradient", "errors")):
                    fault(f"{word} does not follow {word[2:]}")
    return faults


if __name__ == "__main__":
    header = text_of(*sys.argv[1:])
    faults = check(header, calls()) + breaches(header)
    for fault in faults:
        print(fault)
    print(f"{len(calls())} exported calls, {len(faults)} faults")
    sys.exit(1 if faults or not calls() else 0)
