"""count.py JUNIT FOLDER: the single tests of a run of ctest as "passed failed skipped".

JUNIT is what `ctest --output-junit` wrote, with a row for each test of ctest; one that is a GoogleTest program, or a
shard of it, has written FOLDER/<name>.xml, whose single tests count in its place. A program that failed although none of
its reported tests did, or that has left no report, has crashed, which is one failure more."""
import pathlib
import sys
import xml.etree.ElementTree as xml


def single_tests(report):
    """Passed, failed and skipped tests of GoogleTest's report; None without a whole one."""
    try:
        cases = [case for case in xml.parse(report).iter("testcase") if case.get("status") == "run"]
    except (OSError, xml.ParseError):
        return None
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("failure") is None and case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def count(junit, folder):
    passed = failed = skipped = 0
    for row in xml.parse(junit).iter("testcase"):
        status = row.get("status")
        single = single_tests(folder / (row.get("name") + ".xml"))
        if single is not None:
            passed, failed, skipped = passed + single[0], failed + single[1], skipped + single[2]
            failed += status == "fail" and single[1] == 0
        elif status == "run":
            passed += 1
        elif status == "fail":
            failed += 1
        else:
            skipped += 1
    return passed, failed, skipped


if __name__ == "__main__":
    print(*count(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
