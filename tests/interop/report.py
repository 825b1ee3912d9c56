# SPDX-License-Identifier: Apache-2.0
"""Reports the results of a script of interop."""


def report(results) -> int:
    """Prints each (name, problem) at once, and finally "N passed, N failed". Returns the exit code."""
    passed = failed = 0
    for name, problem in results:
        print(f"{'failed' if problem else 'passed'} {name}" + (f": {problem}" if problem else ""), flush=True)
        passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1
