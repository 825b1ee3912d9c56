#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Constructs of JAX's users that C++ can't have: the compiler rejects them with a sentence that names the alternative.

The test programs next to this file have the constructs that compile. Prints "passed CASE" or "failed CASE" for each;
tools/run_tests.py counts them.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, compiler_errors  # noqa: E402

REFUSED = {  # case: (what is written, what the compiler says)
    "argnums_of_grad": ("grad([](Array x, Array y) { return x * y; }, {.argnums = {0, 1}});", "grad<1>(f)"),
    "an_argnum_of_grad": ("value_and_grad([](Array x, Array y) { return x * y; }, 1l);", "grad<1>(f)"),
    "static_argnums_of_jit": ("jit([](Array x, int n) { return x * n; }, {.static_argnums = 1u});", "jit<1>(f)"),
    "flags_of_unique": ("numpy::unique(x, {.return_counts = true});", "unique_counts(x)"),
    "a_count_of_keys": ("auto [a, b, c] = random::split(random::key(0), 3);", "split<3>(key)"),
    "a_custom_vjp_under_grad": ("grad(custom_vjp([](Array x) { return x; }))(x);", "custom_vjp(f).defvjp(fwd, bwd)"),
    "a_factory_without_its_numbers": ("optim::inject_hyperparams([](double rate) { return optim::adam(rate); });",
                                      "inject_hyperparams also takes the numbers"),
    "a_shape_of_sizes": ("numpy::zeros(Shape{2, 3});", "numpy::Shape{2, 3}"),
    "a_range_as_a_list": ("auto y = x[{2, 10}];", "x[range(2, 10)]"),
    "a_scan_without_xs_that_takes_one": ("lax::scan([](Array c, Array) { return std::pair(c, c); }, x, none, 10);",
                                         "gets none in place of an element"),
    "a_switch_of_numbers": ("lax::switch_(x, std::vector<int>{}, x);", "the branches of switch_ are functions"),
    "a_custom_jvp_under_grad": ("grad(custom_jvp([](Array x) { return x; }))(x);", "custom_jvp(f).defjvp(rule)"),
    "nested_lists": ("auto y = x.tolist();", "x.to_vector<float>()"),
    "jaxprs": ("make_jaxpr([](Array x) { return x; })(x);", "make_hlo(f)"),
    "a_custom_vjp_without_a_rule": ("custom_vjp([](Array x) { return x; })(x);", "custom_vjp(f).defvjp(fwd, bwd)"),
    "a_loop_whose_index_is_an_int": ("lax::fori_loop(0, 10, [](int, Array x) { return x; }, x);", "take an Array, no int"),
    "where_without_a_number": ("auto [i, j] = numpy::where(x > 0);", "where<2>(mask)"),
    "arrays_by_name": ('auto y = x["w"];', "operator[]"),
    "a_sparsified_function": ("sparse::sparsify([](Array y) { return y; });", "write it for sparse::BCOO"),
    "a_scan_that_gives_one_thing": ("lax::scan([](Array c, Array) { return c; }, x, x);", "returns a pair"),
    "singular_values_alone": ("Array s = numpy::linalg::svd(x, {.compute_uv = false});", "operator hilo::Array() const"),
    "parts_of_an_array": ("const auto [a, b] = x;", "auto [x, y] = numpy::unstack<2>(array)"),
    "a_field_that_is_left_out": ("struct Half { Array w, b; HILO_TREE(w) }; tree::leaves(Half{x, x});",
                                 "HILO_TREE leaves out a field of this struct"),
    "a_class_with_a_field_that_is_left_out": (
        "struct Half { explicit Half(Array a) : w(a) {} Array w, b; HILO_TREE(w) }; tree::leaves(Half(x));",
        "HILO_TREE leaves out a field of this struct"),
    "an_array_that_is_static": ("struct Both { Array w, b; HILO_TREE(w) HILO_STATIC(b) }; tree::leaves(Both{x, x});",
                                "arrays belong in HILO_TREE"),
    "a_treedef": ("tree::unflatten(tree::structure(x), std::vector<Array>{x});", "unflatten(like, leaves)"),
}
HEAD = '#include "hilo/hilo.h"\nusing namespace hilo;\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    said = messages(build)
    failed = 0
    for case, (code, wanted) in REFUSED.items():
        good = any(wanted in message for message in said.get(case, []))
        failed += not good
        print(f"passed {case}" if good else f"{code}\n{said.get(case, 'it compiles')}\nfailed {case}", flush=True)
    return 1 if failed else 0


def messages(build: pathlib.Path) -> dict[str, list[str]]:
    """What the compiler says of each case."""
    return compiler_errors(HEAD + "".join(f'#line 1 "case/{case}"\nvoid {case}([[maybe_unused]] Array x) {{ {code} }}\n'
                                          for case, (code, _) in REFUSED.items()), build)


if __name__ == "__main__":
    sys.exit(main())
