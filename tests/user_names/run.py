#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that hilo's templates call hilo's functions, for any content of a user's namespace.

A program defines its own types, and a function template for every name that hilo's headers declare, which accepts any
arguments and must not be called. Each case instantiates some of hilo's templates with the program's types. The compiler
rejects it if argument-dependent lookup finds one of the user's templates. Prints "passed CASE" or "failed CASE" for
each; tools/run_tests.py counts them.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, compiler_errors  # noqa: E402

KEYWORDS = set("alignas and decltype for if noexcept not operator or requires sizeof switch typeid volatile while xor".split())
HEAD = """#include "hilo/hilo.h"
using hilo::Array;
namespace user {
@GREEDY@
struct Model { Array w, b; };
struct Named { Array w; std::vector<Model> models; HILO_TREE(w, models) };
enum class Kind { kOne };
struct Marked { Array w; Kind kind; HILO_TREE(w) HILO_STATIC(kind) };
inline Model model() { return {hilo::numpy::ones({2}), hilo::numpy::ones({2})}; }
inline Named named() { return {hilo::numpy::ones({2}), {user::model()}}; }
inline Array loss(const Model& m) { return (m.w * m.b).sum(); }
inline Model twice(const Model& m) { return {2 * m.w, 2 * m.b}; }
"""
CASES = {  # case: statements in a function of the user's namespace
    "map": "hilo::tree::map([](const Array& x) { return 2 * x; }, user::model());"
           "hilo::tree::map([](const Array& x, const Array& y) { return x * y; }, user::named(), user::named());"
           "hilo::tree_map([](const Array& x) { return 2 * x; }, user::Marked{hilo::numpy::ones({1}), user::Kind::kOne});",
    "leaves": "hilo::tree::leaves(user::named()); hilo::tree_leaves(user::named()); hilo::tree::structure(user::model());"
              "hilo::tree::leaves_with_path(user::named()); hilo::tree::flatten(user::model());"
              "hilo::tree::flatten_with_path(user::model());",
    "back_from_leaves": "hilo::tree::unflatten(user::model(), hilo::tree::leaves(user::model()));"
                        "hilo::unflatten(user::model(), hilo::flatten(user::model()).leaves);",
    "reduce": "hilo::tree::reduce([](const Array& x, const Array& y) { return x + y; }, user::model());"
              "hilo::tree::all(user::model());",
    "map_with_path": "hilo::tree::map_with_path([](const std::string&, const Array& x) { return x; }, user::model());",
    "broadcast": "hilo::tree::broadcast(Array(1.0f), user::model());",
    "ravel": "const auto [flat, back] = hilo::flatten_util::ravel_pytree(user::model()); user::Model m = back(flat);",
    "jit": "hilo::jit(user::twice)(user::model()); hilo::jit([](const user::Named& n) { return n; })(user::named());",
    "stages": "hilo::jit(user::twice).lower(user::model()).compile()(user::model()); hilo::lower(user::twice, user::model());",
    "text": "hilo::make_hlo(user::twice)(user::model()); hilo::eval_shape(user::twice, user::model());",
    "grad": "hilo::grad(user::loss)(user::model()); hilo::value_and_grad(user::loss)(user::model());"
            "hilo::value_and_grad([](const user::Model& m) { return std::pair(user::loss(m), user::twice(m)); },"
            " {.has_aux = true})(user::model());",
    "jacobians": "hilo::jacfwd(user::loss)(user::model()); hilo::jacrev(user::loss)(user::model());"
                 "hilo::hessian(user::loss)(user::model()); hilo::hvp(user::loss, std::tuple(user::model()), std::tuple(user::model()));",
    "jvp": "hilo::jvp(user::twice, std::tuple(user::model()), std::tuple(user::model()));"
           "hilo::linearize(user::twice, user::model()); hilo::linear_transpose(user::twice, user::model())(user::model());",
    "vjp": "auto [y, back] = hilo::vjp(user::twice, user::model()); back(user::model());",
    "vmap": "hilo::vmap(user::twice)(user::model()); hilo::pmap(user::twice)(user::model());",
    "checkpoint": "hilo::checkpoint(user::twice)(user::model()); hilo::remat(user::twice)(user::model());"
                  "hilo::saved_residuals(user::loss, user::model());",
    "custom_jvp": "hilo::custom_jvp(user::twice).defjvp([](std::tuple<user::Model> x, std::tuple<user::Model> t) {"
                  " return std::pair(user::twice(std::get<0>(x)), user::twice(std::get<0>(t))); })(user::model());",
    "custom_vjp": "hilo::grad([](const user::Model& m) { return user::loss(hilo::custom_vjp(user::twice).defvjp("
                  "[](const user::Model& x) { return std::pair(user::twice(x), x); },"
                  "[](const user::Model&, const user::Model& g) { return std::tuple(user::twice(g)); })(m)); })(user::model());",
    "custom_vmap": "hilo::custom_batching::sequential_vmap(user::twice)(user::model());",
    "closures": "hilo::closure_convert(user::twice, user::model()); hilo::named_call(user::twice, \"n\")(user::model());",
    "scan": "hilo::lax::scan([](user::Model c, Array x) { return std::pair(c, x); }, user::model(), hilo::numpy::ones({3}));"
            "hilo::lax::scan([](user::Model c, user::Model x) { return std::pair(c, x); }, user::model(), user::model());",
    "associative_scan": "hilo::lax::associative_scan([](const user::Model& a, const user::Model& b) {"
                        " return user::Model{a.w + b.w, a.b + b.b}; }, user::model());",
    "while_loop": "hilo::lax::while_loop([](const user::Model& m) { return m.w.sum() < 3; }, user::twice, user::model());"
                  "hilo::lax::fori_loop(0, 3, [](Array, user::Model m) { return user::twice(m); }, user::model());",
    "cond": "hilo::lax::cond(Array(true), user::twice, user::twice, user::model());"
            "hilo::lax::switch_(Array(1), std::tuple(&user::twice, &user::twice), user::model());",
    "lax_map": "hilo::lax::map([](const user::Model& m) { return user::twice(m); }, user::model());",
    "solve": "hilo::lax::custom_root(user::twice, user::model(), [](auto f, user::Model x) { return f(x); },"
             " [](auto f, user::Model y) { return f(y); });"
             "hilo::lax::custom_linear_solve(user::twice, user::model(), [](auto f, user::Model y) { return f(y); });",
    "barrier": "hilo::lax::optimization_barrier(user::model()); hilo::lax::stop_gradient(user::model().w);",
    "callbacks": "hilo::pure_callback([](Array x) { return x; }, hilo::ShapeDtypeStruct({2}, hilo::float32), user::model().w);"
                 "hilo::io_callback([](const user::Model& m) { return m; }, user::model(), user::model());"
                 "hilo::debug::callback([](const user::Model&) {}, user::model()); hilo::debug::print(\"{}\", user::model().w);",
    "checkify": "hilo::checkify::checkify(user::twice)(user::model());",
    "export_to": "hilo::export_to(\"model.hlo\", user::twice, user::model());",
    "device_put": "hilo::device_put(user::model()); hilo::block_until_ready(user::model());",
    "files": "hilo::training::save_checkpoint(\"m\", user::model()); hilo::training::restore_checkpoint(\"m\", user::model());",
    "jet": "hilo::jet(user::loss, std::tuple(user::model()), std::tuple(std::vector<user::Model>{user::model()}));",
    "optimiser": "const auto o = hilo::optim::adam(1e-3); auto state = o.init(user::model());"
                 "auto [updates, next] = o.update(user::model(), state, user::model());"
                 "hilo::optim::apply_updates(user::model(), updates); hilo::optim::global_norm(user::model());"
                 "hilo::optim::incremental_update(user::model(), user::model(), 0.5);",
    "tree_utils": "namespace t = hilo::optim::tree_utils; const user::Model m = user::model(); const user::Model z = t::tree_zeros_like(m);"
                  "const user::Model o = t::tree_ones_like(m), f = t::tree_full_like(m, 2), c = t::tree_cast(m, hilo::float16);"
                  "const Array s = t::tree_sum(m), v = t::tree_vdot(m, m), n = t::tree_norm(m), l = t::tree_l2_norm(m);"
                  "const user::Model a = t::tree_add(m, z), b = t::tree_sub(m, o), d = t::tree_mul(m, f), e = t::tree_div(m, c);"
                  "t::tree_scale(2, m); t::tree_scalar_mul(2, m); t::tree_add_scale(m, 2, m); t::tree_add_scalar_mul(m, 2, m);",
    "odeint": "hilo::scipy::integrate::odeint([](const user::Model& m, Array) { return user::twice(m); }, user::model(),"
              " hilo::numpy::ones({3}));",
    "numpy": "hilo::numpy::vectorize([](Array x) { return x; })(user::model().w);"
             "hilo::numpy::apply_along_axis([](Array x) { return x; }, 0, user::model().w);"
             "hilo::numpy::fromfunction([](Array i) { return i; }, {3});",
    "nn": "hilo::nn::num_parameters(user::model()); hilo::nn::summary(user::model());",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    names = declared_names()
    errors = messages(build, names)
    failed = 0
    for case in CASES:
        failed += case in errors
        print("\n".join([*errors.get(case, []), f"{'failed' if case in errors else 'passed'} {case}"]), flush=True)
    for case in [*(errors.keys() - CASES.keys()), *([] if len(names) >= 300 else [f"only {len(names)} names"])]:
        failed += 1
        print("\n".join([*errors.get(case, []), f"failed {case}"]))
    return 1 if failed else 0


def declared_names() -> list[str]:
    """Functions that hilo's headers declare outside of classes: their lines aren't indented."""
    names = set()
    for header in (ROOT / "src" / "hilo").rglob("*.h"):
        names |= set(re.findall(r"^(?!#|//|return |using ).*?[\w>&*] [&*]?(?<!operator )([a-z]\w*)\(", header.read_text(), re.M))
    return sorted(names - KEYWORDS)


def messages(build: pathlib.Path, names: list[str]) -> dict[str, list[str]]:
    """What the compiler says of each case."""
    greedy = "\n".join(f"template <typename... A> void {name}(A&&...) = delete;" for name in names)
    program = HEAD.replace("@GREEDY@", greedy)
    program += "".join(f'#line 1 "case/{case}"\n[[maybe_unused]] void case_{case}() {{ {code} }}\n' for case, code in CASES.items())
    found = compiler_errors(program + "}\n", build)
    return {case or "program": errors for case, errors in found.items()}


if __name__ == "__main__":
    sys.exit(main())
