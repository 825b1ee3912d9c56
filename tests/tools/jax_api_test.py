#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/jax_api: how recorded calls are converted to C++, numbered and written for the C++ side, and to which form an
error belongs."""

import pathlib
import struct
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "jax_api"))

import compiling  # noqa: E402
import defaults  # noqa: E402
import records  # noqa: E402
import signatures  # noqa: E402
import spelling  # noqa: E402


def array(values=(1.0, 2.0), dtype="float32", **more):
    return {"array": {"dtype": dtype, "shape": [len(values)], "list": list(values)}, **more}


def row(name, args=(), kwargs=None, **more):
    data = {"id": "0" * 16, "name": name, "args": list(args), "kwargs": kwargs or {}, "x64": False, "class": "arith",
            "out": None, "err64": 0.0, **more}
    return records.numbered(data)


def first(name, args=(), kwargs=None, **more):
    body = spelling.forms_of(row(name, args, kwargs, **more))[0]
    return body.removeprefix("return value_of(").removesuffix(");")


class SpellingTest(unittest.TestCase):
    def test_names_are_jaxs_with_an_underscore_behind_words_of_cpp(self):
        self.assertEqual(spelling.cpp_names("jax.numpy.sum"), ["numpy::sum"])
        self.assertEqual(spelling.cpp_names("jax.numpy.linalg.solve"), ["linalg::solve"])
        self.assertEqual(spelling.cpp_names("jax.scipy.stats.norm.pdf"), ["scipy::stats::norm::pdf"])
        self.assertEqual(spelling.cpp_names("jax.lax.switch"), ["lax::switch_"])
        self.assertEqual(spelling.cpp_names("optax.losses.l2_loss"), ["optim::losses::l2_loss", "optim::l2_loss"])

    def test_keywords_are_a_struct_in_the_order_of_jaxs_parameters(self):
        self.assertEqual(first("jax.numpy.sum", [array()], {"keepdims": True, "axis": 0}),
                         "numpy::sum(in.array(0), {.axis = 0, .keepdims = true})")

    def test_pythons_types_are_numbers_where_types_meet(self):
        python_float, float32 = {"pytype": "float"}, {"dtype": "float32"}
        self.assertEqual(first("jax.numpy.promote_types", [python_float, float32]),
                         "numpy::promote_types(1.0, numpy::float32)")
        self.assertEqual(first("jax.numpy.zeros", [5], {"dtype": python_float}),
                         "numpy::zeros(5, {.dtype = numpy::float_})")

    def test_no_axes_are_an_empty_list(self):
        self.assertEqual(first("jax.numpy.linalg.vector_norm", [array()], {"axis": {"tuple": []}}),
                         "linalg::vector_norm(in.array(0), {.axis = std::vector<int64_t>{}})")

    def test_keywords_also_stand_at_their_positions(self):
        bodies = spelling.forms_of(row("jax.numpy.concatenate", [[array(), array()]], {"axis": 0}))
        self.assertIn("return value_of(numpy::concatenate({in.array(0), in.array(1)}, 0));", bodies)

    def test_a_flag_that_changes_the_result_names_another_function(self):
        self.assertEqual(first("jax.scipy.linalg.svd", [array()], {"compute_uv": False, "full_matrices": False}),
                         "scipy::linalg::svdvals(in.array(0))")
        self.assertEqual(first("jax.scipy.linalg.svd", [array()], {"full_matrices": False}),
                         "scipy::linalg::svd(in.array(0), {.full_matrices = false})")
        self.assertEqual(first("jax.scipy.linalg.qr", [array()], {"mode": "economic", "pivoting": True}),
                         'scipy::linalg::qr_with_pivoting(in.array(0), {.mode = "economic"})')
        self.assertEqual(first("jax.scipy.linalg.qr", [array()], {"mode": "r", "pivoting": True}),
                         "const auto x = scipy::linalg::qr_with_pivoting(in.array(0));\n"
                         "  return list_of({value_of(x.r), value_of(x.p)}")
        self.assertEqual(first("jax.numpy.linalg.svd", [array()], {"compute_uv": False, "hermitian": True}),
                         "const auto x = linalg::svd(in.array(0), {.hermitian = true});\n"
                         "  return list_of({value_of(x.s)}")

    def test_arguments_of_scipy_that_mean_nothing_are_left_out(self):
        self.assertEqual(first("jax.scipy.linalg.inv", [array(), True], {"check_finite": False}),
                         "scipy::linalg::inv(in.array(0))")
        self.assertEqual(first("jax.scipy.linalg.lu_solve", [array(), array(), 1, False, False]),
                         "scipy::linalg::lu_solve(in.array(0), in.array(1), 1)")

    def test_values(self):
        for value, text in ((None, "none"), (True, "true"), (-2**63, "(-9223372036854775807 - 1)"), ("C", '"C"'),
                            ({"float": 3.0}, "3.0"), ({"float": "-inf"}, "-numpy::inf"), ([1, 2], "{1, 2}"),
                            ({"tuple": [1, array((3,), "int32", np=2)]}, "{1, {3}}"),
                            ({"dtype": "float32"}, "numpy::float32"), ({"slice": [None, None, None]}, "all"),
                            ({"slice": [None, None, -1]}, "range(none, none, -1)"), ({"fn": "case.double"}, "cases::double_"),
                            ({"fn": "jax.lax.add"}, "HILO_FN(lax::add)")):
            self.assertEqual(spelling.spell(value, False), text)

    def test_indices_places_members_operators_and_methods(self):
        index = {"tuple": [0, None, {"ellipsis": True}, {"slice": [1, 3, None]}]}
        self.assertEqual(first("array.getitem", [array(), index]), "in.array(0)(0, newaxis, ellipsis, range(1, 3))")
        self.assertEqual(first("array.at.add", [array(), 1, array()], {"mode": "drop"}),
                         'in.array(0).at(1).add(in.array(1), {.mode = "drop"})')
        self.assertEqual(first("array.__rsub__", [array(), 2]), "2 - in.array(0)")
        self.assertEqual(first("jax.numpy.add.reduce", [array()], {"axis": 0}), "numpy::add.reduce(in.array(0), {.axis = 0})")
        self.assertIn("return value_of(numpy::argmax(in.array(0)));", spelling.forms_of(row("array.argmax", [array()])))

    def test_a_numpy_array_may_be_the_numbers_it_holds(self):
        bodies = spelling.forms_of(row("jax.numpy.reshape", [array(), array((2, 1), "int64", np=1)]))
        self.assertEqual(bodies[0], "return value_of(numpy::reshape(in.array(0), in.array(1)));")
        self.assertIn("return value_of(numpy::reshape(in.array(0), {2, 1}));", bodies)

    def test_steps_take_their_gradients_from_the_row_or_from_its_function(self):
        listed = {"method": "steps", "args": [array(), [array(), array()]], "kwargs": {}}
        of_function = {"method": "steps", "args": [array(), [0, 0]], "kwargs": {"value_fn": {"fn": "case.sphere"}}}
        self.assertIn("gradients = {in.array(1), in.array(2)}", first("optax.sgd", [{"float": 0.1}], call=listed))
        body = first("optax.sgd", [{"float": 0.1}], call=of_function)
        self.assertIn("i < 2", body)
        self.assertIn("value_and_grad(cases::sphere)(params)", body)
        self.assertNotIn("gradients =", body)

    def test_no_row_has_two_equal_candidates(self):
        bodies = spelling.forms_of(row("jax.numpy.sum", [array(np=1)], {"axis": None}))
        self.assertEqual(len(bodies), len(set(bodies)))


class RecordsTest(unittest.TestCase):
    def test_arrays_count_depth_first_and_keys_apart(self):
        key = {"key": {"impl": "threefry2x32", "shape": [], "data": array((0, 1), "uint32")}}
        found = row("jax.x", [[array(), key], {"tuple": [array()]}], {"where": array()})
        self.assertEqual((len(found.arrays), len(found.keys)), (3, 1))
        self.assertEqual(found.data["kwargs"]["where"]["leaf"], 2)

    def test_types_of_64_bits_are_narrowed_without_x64(self):
        wide = array((1.5, 2**40), "float64")
        self.assertEqual(records.array_words(wide, True).split()[:2], ["float64", "float64"])
        words = records.array_words(wide, False).split()
        self.assertEqual(words[0], "float32")
        self.assertEqual(bytes.fromhex(words[-1][1:]), struct.pack("<2f", 1.5, 2.0**40))

    def test_integers_wrap_when_narrowed(self):
        self.assertEqual(records.wrap(2**32 - 1, "int32"), -1)
        self.assertEqual(records.wrap(-1, "uint32"), 2**32 - 1)

    def test_rows_without_an_error_of_xla_take_the_largest_of_their_name_and_type(self):
        rows = [row("jax.x", out=array(), err64=0.5), row("jax.x", out=array()), row("jax.y", out=array())]
        for found in rows[1:]:
            del found.data["err64"]
        records.fill_errors(rows)
        self.assertEqual([found.data["err64"] for found in rows], [0.5, 0.5, 0.0])


class DefaultsTest(unittest.TestCase):
    def test_each_argument_that_a_name_has_is_given_once_at_its_default(self):
        rows = [row("jax.numpy.sum", [array(), 0]), row("jax.numpy.sum", [array()], {"keepdims": True})]
        given = {found.id.split("-")[1]: found.data["kwargs"] for found in defaults.rows_with_defaults(rows)}
        self.assertEqual(given["axis"], {"keepdims": True, "axis": None})
        self.assertEqual(given["keepdims"], {"keepdims": False})
        self.assertNotIn("a", given)

    def test_rows_that_fail_and_defaults_without_a_spelling_make_none(self):
        self.assertEqual(defaults.rows_with_defaults([row("jax.numpy.sum", [array()], out={"error": "TypeError"})]), [])
        self.assertIs(defaults.spelled("<object>"), defaults.UNKNOWN)
        self.assertEqual(defaults.spelled("(1, 0.5)"), {"tuple": [1, {"float": 0.5}]})


class SignaturesTest(unittest.TestCase):
    def test_parameters_are_read_as_python_writes_them(self):
        parsed = signatures.parse("a, axis=(0, 1), *rest, key=None, **more")
        self.assertEqual([(parameter.name, parameter.kind, parameter.default) for parameter in parsed],
                         [("a", "positional", None), ("axis", "positional", "(0, 1)"), ("rest", "list", None),
                          ("key", "keyword", "None"), ("more", "rest", None)])

    def test_a_method_of_a_ufunc_is_no_function_of_that_name(self):
        self.assertTrue(signatures.is_ufunc_method("jax.numpy.add.outer"))
        self.assertFalse(signatures.is_ufunc_method("jax.numpy.outer"))


class ErrorsTest(unittest.TestCase):
    def errors_of(self, text):
        return compiling.errors_of(subprocess.CompletedProcess([], 1, stdout="", stderr=text))

    def test_an_error_in_a_header_belongs_to_the_form_that_required_it(self):
        found = self.errors_of("form/3:2:5:   required from here\nhilo/x.h:7:1: error: no\nform/5:1:1: error: bad\n"
                               "form/5:2:1: error: worse\n")
        self.assertEqual(found, {3: "no", 5: "bad"})

    def test_an_error_of_no_form_stops_the_build(self):
        with self.assertRaises(compiling.BuildError):
            self.errors_of("hilo/x.h:7:1: error: no\n")


if __name__ == "__main__":
    unittest.main()
