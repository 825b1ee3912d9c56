# SPDX-License-Identifier: Apache-2.0
"""How a script of interop reports."""


def report(results) -> int:
    """Prints each (name, problem) at once, and at last "N passed, N failed". The exit code."""
    passed = failed = 0
    for name, problem in results:
        print(f"{'failed' if problem else 'passed'} {name}" + (f": {problem}" if problem else ""), flush=True)
        passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1
