# SPDX-License-Identifier: Apache-2.0
"""Compares the states of two engines: a row per file, and each test that passes on the first and not on the second."""

import collections
import dataclasses
import re

BAD = ("failed", "crashed", "hung")


@dataclasses.dataclass
class Tests:
    """The results of one engine on one file."""
    collected: int
    selected: int
    rows: dict  # test id -> its row
    problem: str  # why the file itself did not run, or ""

    def count(self, *outcomes: str) -> int:
        return sum(row["outcome"] in outcomes for row in self.rows.values())

    @property
    def seconds(self) -> float:
        return sum(row.get("seconds", 0) for row in self.rows.values())


def tests_of(rows: list[dict]) -> Tests:
    sizes = next((row for row in reversed(rows) if "collected" in row), {"collected": 0, "selected": 0})
    problem = next((row.get("problem") or "skipped: " + row["skip"] for row in rows if "problem" in row or "skip" in row), "")
    return Tests(sizes["collected"], sizes["selected"], {row["test"]: row for row in rows if "test" in row}, problem)


def joined(parts: list[Tests]) -> Tests:
    """What an engine did with the parts of one file."""
    return Tests(max((part.collected for part in parts), default=0), sum(part.selected for part in parts),
                 {test: row for part in parts for test, row in part.rows.items()},
                 next((part.problem for part in parts if part.problem), ""))


def lost(reference: Tests, other: Tests) -> list[dict]:
    """Returns the other engine's rows of tests that fail there and pass on the reference, and of crashes between
    tests."""
    passing = {test for test, row in reference.rows.items() if row["outcome"] == "passed"}
    return [row for test, row in other.rows.items() if row["outcome"] in BAD and (test in passing or test.startswith("("))]


def render(results: dict[str, list[Tests]], names: list[str], sampled: bool = False) -> str:
    """Returns the table of all files, the causes by their number of tests, and the tests. `names`: the engines, the
    reference first. `sampled`: the reference ran the tests that failed on the other engine, and only a sample of those
    that passed.
    """
    lines = [head(names)]
    totals = [collections.Counter() for _ in names]
    common = kept = 0
    for file, engines in results.items():
        lines.append(f"{file:36}" + " | ".join([f"{engines[0].collected:6}", *map(cell, engines)]))
        for total, tests in zip(totals, engines):
            total.update({outcome: tests.count(outcome) for outcome in ("passed", "skipped", *BAD)})
            total["problems"] += bool(tests.problem)
        if len(engines) > 1:
            both = common_passes(*engines)
            common, kept = common + both[0], kept + both[1]
    for name, total in zip(names, totals):
        lines.append(f"{name}: {total['passed']} passed, {sum(total[bad] for bad in BAD)} failed, {total['skipped']} skipped; "
                     f"{total['crashed']} crashes, {total['hung']} hangs, {total['problems']} files that did not run")
    if len(names) > 1:
        lines.append(estimate(results, names) if sampled else shares(common, kept, names))
        lines += differences(results)
    return "\n".join(lines)


def shares(common: int, kept: int, names: list[str]) -> str:
    share = f"{100 * kept / common:.2f} %" if common else "none"
    return f"of {common} tests that pass on {names[0]} and ran on {names[1]}, {kept} pass there: {share}"


def estimate(results: dict[str, list[Tests]], names: list[str]) -> str:
    """Estimates how many of the tests that pass on the reference pass on the other engine, from the sampled ones."""
    missing = sum(len(lost(reference, other)) for reference, other in results.values())
    passed = sum(other.count("passed") for _, other in results.values())
    ran = [reference.rows[test]["outcome"] for reference, other in results.values() for test, row in other.rows.items()
           if row["outcome"] == "passed" and test in reference.rows]
    both = ran.count("passed")
    if not both:
        return f"no test that passed on {names[1]} was seen to pass on {names[0]}"
    common = passed * both / len(ran)
    return (f"{passed} tests pass on {names[1]}; of {len(ran)} of them that ran on {names[0]}, {both} pass there. {missing} tests pass on "
            f"{names[0]} and not on {names[1]}: of about {common + missing:.0f} that pass on {names[0]}, "
            f"{100 * common / (common + missing):.2f} % pass on {names[1]}")


def head(names: list[str]) -> str:
    return f"{'file':36}" + " | ".join(["  size", *(f"{name}: passed/failed/skipped, seconds" for name in names)])


def cell(tests: Tests) -> str:
    if tests.problem:
        return f"did not run: {tests.problem[:120]}"
    died = tests.count("crashed", "hung")
    return (f"{tests.count('passed')}/{tests.count(*BAD)}/{tests.count('skipped')} {tests.seconds:.0f}s"
            + (f" ({died} crashed or hung)" if died else ""))


def common_passes(reference: Tests, other: Tests) -> tuple[int, int]:
    """Returns the number of tests that pass on the reference and ran on the other engine, and how many of them pass
    there too."""
    outcomes = [other.rows[test]["outcome"] for test, row in reference.rows.items() if row["outcome"] == "passed" and test in other.rows]
    return len(outcomes), outcomes.count("passed")


def differences(results: dict[str, list[Tests]]) -> list[str]:
    found = [(file, row) for file, (reference, other) in results.items() for row in lost(reference, other)]
    groups = collections.defaultdict(list)
    for file, row in found:
        groups[shape_of(row["cause"])].append((file, row))
    lines = []
    for shape, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        lines.append(f"\n{len(members)} x {shape}")
        lines += [f"    {file}: {row['test']}: {row['outcome']} {row['cause']}" for file, row in members]
    return lines


def shape_of(cause: str) -> str:
    """Returns a cause without its numbers, shapes and names, so that equal causes are counted together."""
    return re.sub(r"0x[0-9a-f]+|[-+]?\d[\d.e+-]*|\[[^\]]*\]|%[\w.-]+", "#", cause)[:120]
