#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes of users who know JAX: the first compiler error states what is expected, and the message is short.

g++ prints at most 12 lines. Clang prints three for each function on the way, and is tested if it is installed: its
first error is the same, in at most CLANG_LINES lines. Prints "passed CASE" or "failed CASE" for each;
tools/run_tests.py counts them.
"""

import argparse
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT  # noqa: E402
from refusals import refusals  # noqa: E402

GCC_LINES = 12
CLANG_LINES = 40
LONG_IN_CLANG = {"custom_vjp_bwd_arity", "custom_vjp_bwd_void", "custom_vjp_fwd_arity"}  # it goes on behind the first error
# Clang names only the header's line of what one instantiation says for several places.
WITHOUT_A_PLACE_IN_CLANG = {"vmap_string_arg", "grad_x", "tree_leaves_class", "ravel_pytree", "optim_init_class"}
HEAD = """#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include "hilo/hilo.h"
using namespace hilo;
struct Model { Array w, b; };
class Hidden { public: explicit Hidden(Array a) : a_(a) {} private: Array a_; };
"""
CASES = {  # case: (what is written, what the first error has; in Clang's words, where they differ)
    "jit_braces_generic": ("auto f = jit([](const auto& p) { return p.w + p.b; }); f({x, x});",
        "a list in braces has no type here: name the struct"),
    "into_list": ("std::list<float> out(3); jit([](Array a) { return a; }).into(out, x);",
        "results are written to a std::span, a ShapedSpan, a number, or a std::tuple, pair, vector or HILO_TREE of those"),
    "into_const": ("std::span<const float> out; jit([](Array a) { return a; }).into(out, x);",
        "results can't be written to a span of const elements"),
    "into_number": ("jit([](Array a) { return a; }).into(0.0f, x);",
        "into writes its results to its first argument"),
    "power": ("auto y = x ** 2;",
        "invalid type argument of unary", "indirection requires pointer operand"),
    "power_lambda": ("auto g = grad([](const Array& x) { return (x ** 2).sum(); })(x);",
        "invalid type argument of unary", "indirection requires pointer operand"),
    "power_lambda_auto": ("auto g = jit([](auto x) { return (x ** 2).sum(); })(x);",
        "invalid type argument of unary", "indirection requires pointer operand"),
    "power_vmap": ("auto g = vmap([](Array a) { return numpy::sum(a ** 2); })(x);",
        "invalid type argument of unary", "indirection requires pointer operand"),
    "aval": ("Aval(int32, {5, 12});",
        "ShapeDtypeStruct({5, 12}, int32)"),
    "aval_eval_shape": ("eval_shape([](Array a) { return a; }, Aval({5, 12}, float32));",
        "ShapeDtypeStruct({5, 12}, int32)"),
    "sds_order": ("ShapeDtypeStruct(int32, {5, 12});",
        "the shape comes first"),
    "vmap_grad_as_array_arg": ("Array y = numpy::sum(vmap(grad<0, 1>([](Array a, Array b) { return (a * b).sum(); }))(x, x));",
        "got a container: numpy::stack"),
    "numpy_add_vec": ("auto y = x + std::vector<float>{1, 2};",
        "got a container"),
    "numpy_mul_tuple": ("auto y = std::tuple(x, x) * x;",
        "got a container"),
    "numpy_mul_vector": ("auto y = 0.5f * std::vector<Array>{x};",
        "got a container"),
    "numpy_sum_tuple": ("numpy::sum(std::tuple(x, x));",
        "got a container"),
    "scan_no_pair": ("lax::scan([](Array c, Array) { return c; }, x, x);",
        "returns a pair: the next carry"),
    "scan_one_param": ("lax::scan([](Array c) { return std::pair(c, c); }, x, x);",
        "takes another number of arguments"),
    "scan_swapped": ("lax::scan(x, [](Array c, Array y) { return std::pair(c, y); }, x);",
        "functions come first"),
    "scan_no_xs": ("lax::scan([](Array c, Array y) { return std::pair(c, y); }, x);",
        "gets none in place of an element"),
    "scan_void": ("lax::scan([](Array c, Array y) { }, x, x);",
        "returns nothing"),
    "scan_carry_type": ("lax::scan([](Model c, Array y) { return std::pair(c.w, y); }, Model{x, x}, x);",
        "the next carry has another C++ type"),
    "scan_triple": ("lax::scan([](Array c, Array y) { return std::tuple(c, y, y); }, x, x);",
        "returns a pair: the next carry"),
    "scan_braces": ("auto [a, b] = lax::scan([](Model c, Array y) { return std::pair(c, y); }, {x, x}, x);",
        "name the struct or the tuple"),
    "scan_init_braces": ("lax::scan([](std::pair<Array, Array> c, Array y) { return std::pair(c, y); }, {x, x}, x);",
        "name the struct or the tuple"),
    "while_braces": ("auto a = lax::while_loop([](Model c) { return c.w < 3; }, [](Model c) { return c; }, {x, x});",
        "name the struct or the tuple"),
    "fori_braces": ("auto a = lax::fori_loop(0, 3, [](Array i, Model c) { return c; }, {x, x});",
        "name the struct or the tuple"),
    "cond_braces": ("auto a = lax::cond(x > 0, [](Model c) { return c.w; }, [](Model c) { return c.b; }, {x, x});",
        "name the struct or the tuple"),
    "while_swapped": ("lax::while_loop(x, [](Array c) { return c < 3; }, [](Array c) { return c + 1; });",
        "functions come first"),
    "while_no_init": ("lax::while_loop([](Array a) { return a < 3; }, [](Array a) { return a + 1; });",
        "functions come first"),
    "while_body_two": ("lax::while_loop([](Array c) { return c < 3; }, [](Array c, Array d) { return c + 1; }, x);",
        "takes another number of arguments"),
    "while_body_void": ("lax::while_loop([](Array c) { return c < 3; }, [](Array& c) { c = c + 1; }, x);",
        "a parameter that is an Array& can't be traced"),
    "while_cond_struct": ("lax::while_loop([](Model c) { return c; }, [](Model c) { return c; }, Model{x, x});",
        "the condition of a while_loop returns one truth value"),
    "while_cond_void": ("lax::while_loop([](Model c) { }, [](Model c) { return c; }, Model{x, x});",
        "returns nothing"),
    "while_body_other": ("lax::while_loop([](Model c) { return c.w < 3; }, [](Model c) { return c.w; }, Model{x, x});",
        "the next carry has another C++ type"),
    "fori_body_one": ("lax::fori_loop(0, 10, [](Array x) { return x; }, x);",
        "takes another number of arguments"),
    "fori_swapped": ("lax::fori_loop(0, 10, x, [](Array i, Array x) { return x; });",
        "functions come first"),
    "fori_no_init": ("lax::fori_loop(0, 10, [&](Array i, Array p) { return p; });",
        "functions come first"),
    "fori_void": ("lax::fori_loop(0, 10, [&](Array i, Array x) { x = x + i; }, x);",
        "returns nothing"),
    "fori_other": ("lax::fori_loop(0, 10, [&](Array i, Model p) { return p.w; }, Model{x, x});",
        "the body of a fori_loop returns the next carry"),
    "cond_values": ("lax::cond(x > 0, x, x);",
        "expected a function, got a value"),
    "cond_no_operand": ("lax::cond(x > 0, [](Array y) { return y; }, [](Array y) { return -y; });",
        "takes another number of arguments"),
    "cond_one_branch": ("lax::cond(x > 0, [](Array y) { return y; });",
        "cond takes two functions"),
    "cond_different": ("lax::cond(x > 0, [](Array y) { return y; }, [](Array y) { return std::pair(y, y); }, x);",
        "the branches return different C++ types"),
    "cond_void": ("lax::cond(x > 0, [](Array y) { }, [](Array y) { return y; }, x);",
        "returns nothing"),
    "switch_fn_first": ("lax::switch_(x, [](Array y) { return y; }, [](Array y) { return -y; }, x);",
        "the branches of switch_ are one argument"),
    "switch_different": ("lax::switch_(x, std::tuple([](Array y) { return y; }, [](Array y) { return std::pair(y, y); }), x);",
        "the branches return different C++ types"),
    "switch_args_arity": ("lax::switch_(x, std::tuple([](Array y) { return y; }, [](Array y, Array z) { return -y; }), x);",
        "takes another number of arguments"),
    "map_swapped": ("lax::map(x, [](Array y) { return y; });",
        "functions come first"),
    "map_two": ("lax::map([](Array y, Array z) { return y; }, x, x);",
        "map takes one tree"),
    "assoc_swapped": ("lax::associative_scan(x, [](Array a, Array b) { return a + b; });",
        "functions come first"),
    "assoc_one": ("lax::associative_scan([](Array a) { return a; }, x);",
        "takes another number of arguments"),
    "vmap_arity": ("vmap([](Array a, Array b) { return a; })(x);",
        "takes another number of arguments"),
    "vmap_ref": ("vmap([](Array& a) { return a; })(x);",
        "a parameter that is an Array& can't be traced"),
    "vmap_void": ("vmap([](Array a) { })(x);",
        "returns nothing"),
    "vmap_string_arg": ('vmap([](Array a) { return a; }, "i")(x);',
        ".axis_name"),
    "pmap_arity": ('pmap([](Array a, Array b) { return a; }, "i")(x);',
        "takes another number of arguments"),
    "grad_arity": ("grad([](Array a, Array b) { return a.sum(); })(x);",
        "takes another number of arguments"),
    "grad_argnum_range": ("grad<2>([](Array a, Array b) { return a.sum(); })(x, x);",
        "argnums: no such argument"),
    "grad_x": ("grad([](Array a) { return a.sum(); }, x);",
        "the numbers of arguments are template arguments"),
    "grad_void": ("grad([](Array a) { a.sum(); })(x);",
        "returns nothing"),
    "jit_arity": ("jit([](Array a, Array b) { return a; })(x);",
        "takes another number of arguments"),
    "jit_ptr": ("jit([](const Array* a) { return *a; })(&x);",
        "is no tree of arrays"),
    "jit_shared_ptr": ("jit([](std::shared_ptr<Model> p) { return p->w; })(std::make_shared<Model>(Model{x, x}));",
        "a pointer is no tree"),
    "jit_unordered": ('jit([](std::unordered_map<std::string, Array> p) { return p["a"]; })(std::unordered_map<std::string, Array>{});',
        "an unordered container is no tree"),
    "jit_void": ("jit([](Array a) { })(x);",
        "returns nothing"),
    "jit_mutable": ("int n = 0; jit([n](Array a) mutable { ++n; return a; })(x);",
        "a mutable lambda can't be traced"),
    "jvp_no_tuple": ("jvp([](Array a) { return a; }, x, x);",
        "two lists of one type"),
    "jvp_pair": ("jvp([](Array a, Array b) { return a * b; }, std::pair(x, x), std::pair(x, x));",
        "two lists of one type"),
    "jvp_mismatch": ("jvp([](Array a, Array b) { return a * b; }, std::tuple(x, x), std::tuple(x));",
        "two lists of one type"),
    "jvp_arity": ("jvp([](Array a, Array b) { return a * b; }, std::tuple(x), std::tuple(x));",
        "takes another number of arguments"),
    "vjp_braces": ("vjp([](Array a, Array b) { return a * b; }, {x, x});",
        "arguments are passed one by one"),
    "vjp_arity": ("auto [y, f] = vjp([](Array a, Array b) { return a * b; }, x);",
        "takes another number of arguments"),
    "linearize_arity": ("auto [y, f] = linearize([](Array a, Array b) { return a; }, x);",
        "takes another number of arguments"),
    "jacfwd_arity": ("jacfwd([](Array a, Array b) { return a; })(x);",
        "takes another number of arguments"),
    "custom_vjp_bwd_single": ("auto f = custom_vjp([](Array a, Array b) { return a * b; }).defvjp([](Array a, Array b) { return std::pair(a * b, std::pair(a, b)); }, [](auto res, Array g) { return g; }); grad(f)(x, x);",
        "returns a tuple with a cotangent for each"),
    "custom_vjp_bwd_arity": ("auto f = custom_vjp([](Array a) { return a; }).defvjp([](Array a) { return std::pair(a, a); }, [](Array g) { return std::tuple(g); }); grad(f)(x);",
        "takes another number of arguments"),
    "custom_vjp_bwd_void": ("auto f = custom_vjp([](Array a) { return a; }).defvjp([](Array a) { return std::pair(a, a); }, [](Array r, Array g) { }); grad(f)(x);",
        "returns nothing"),
    "custom_vjp_fwd_single": ("auto f = custom_vjp([](Array a) { return a; }).defvjp([](Array a) { return a; }, [](Array r, Array g) { return std::tuple(g); }); grad(f)(x);",
        "fwd returns a pair"),
    "custom_vjp_fwd_arity": ("auto f = custom_vjp([](Array a, Array b) { return a; }).defvjp([](Array a) { return std::pair(a, a); }, [](Array r, Array g) { return std::tuple(g, g); }); grad(f)(x, x);",
        "takes another number of arguments"),
    "custom_jvp_rule": ("auto f = custom_jvp([](Array a) { return a; }).defjvp([](Array a, Array t) { return std::pair(a, t); }); grad(f)(x);",
        "rule takes two tuples"),
    "custom_jvp_rule_single": ("auto f = custom_jvp([](Array a) { return a; }).defjvp([](std::tuple<Array> a, std::tuple<Array> t) { return std::get<0>(t); }); grad(f)(x);",
        "rule returns a pair"),
    "custom_jvp_defjvps": ("auto f = custom_jvp([](Array a, Array b) { return a * b; }).defjvps([](Array t) { return t; }, none); grad(f)(x, x);",
        "defjvps takes a function or nullptr for each argument"),
    "shard_map_no_mesh": ("shard_map([](Array a) { return a; })(x);",
        "shard_map takes a mesh and specs"),
    "tree_map_arity": ("tree::map([](Array a) { return a; }, Model{x, x}, Model{x, x});",
        "one of each tree"),
    "tree_map_swapped": ("tree::map(Model{x, x}, [](Array a) { return a; });",
        "the function comes first"),
    "tree_map_void": ("tree::map([](Array a) { }, Model{x, x});",
        "one of each tree"),
    "tree_map_braces": ("tree::map([](Array a) { return a; }, {x, x});",
        "name the struct"),
    "tree_leaves_class": ("tree::leaves(Hidden(x));",
        "is no tree of arrays"),
    "tree_reduce": ("tree::reduce([](Array a) { return a; }, Model{x, x});",
        "reduce: two"),
    "ravel_pytree": ("auto [flat, unravel] = flatten_util::ravel_pytree(Hidden(x));",
        "is no tree of arrays"),
    "optim_init_class": ("auto opt = optim::adam(1e-3); opt.init(Hidden(x));",
        "is no tree of arrays"),
    "key_int": ("random::normal(0, {3});",
        "the first argument is a key"),
    "numpy_einsum": ('numpy::einsum(x, "ij->i");',
        "the subscripts come first"),
    "numpy_concat_two": ("numpy::concatenate(x, x);",
        "the arrays are one list"),
    "checkpoint_arity": ("checkpoint([](Array a, Array b) { return a; })(x);",
        "takes another number of arguments"),
    "pure_callback_order": ("pure_callback(ShapeDtypeStruct({2}, float32), [](Array a) { return a; }, x);",
        "the function comes first"),
    "pure_callback_shape": ("pure_callback([](Array a) { return a; }, x.shape(), x);",
        "the function comes first"),
    "pure_callback_void": ("pure_callback([](Array a) { }, ShapeDtypeStruct({2}, float32), x);",
        "returns nothing"),
    "device_put_str": ('device_put(x, "cpu");',
        "a device is a value"),
    "odeint_arity": ("scipy::integrate::odeint([](Array y) { return y; }, x, x);",
        "takes another number of arguments"),
    "custom_root": ("lax::custom_root([](Array a) { return a; }, x, [](Array g) { return g; }, [](auto, Array g) { return g; });",
        "takes another number of arguments"),
    "checkify": ("auto [err, out] = checkify::checkify([](Array a, Array b) { return a; })(x);",
        "takes another number of arguments"),
    "lower_arity": ("jit([](Array a, Array b) { return a; }).lower(x);",
        "takes another number of arguments"),
    "export_arity": ('export_to("f.hlo", [](Array a, Array b) { return a; }, x);',
        "takes another number of arguments"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    failed = check("g++", build, GCC_LINES, set(), set())
    if shutil.which("clang++-19"):
        failed += check("clang++-19", build, CLANG_LINES, LONG_IN_CLANG, WITHOUT_A_PLACE_IN_CLANG)
    return 1 if failed else 0


def check(compiler: str, build: pathlib.Path, most: int, long: set[str], left_out: set[str]) -> int:
    """`long`: cases of which the first error alone counts."""
    cases = {case: code for case, (code, *_) in CASES.items() if case not in left_out}
    said = refusals(compiler, HEAD, cases, build, ROOT)
    failed = 0
    for case, code in cases.items():
        wanted = CASES[case][1:]
        words = wanted[-1 if compiler.startswith("clang") else 0]
        got = said.get(case)
        good = got is not None and words in got.first and (got.lines <= most or case in long)
        failed += not good
        if not good:
            print(f"{code}\nwanted '{words}' first, in at most {most} lines; got " +
                  (f"{got.lines} lines:\n{got.text}" if got else "no error"))
        print(f"{'passed' if good else 'failed'} {case}/{compiler}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
