// SPDX-License-Identifier: Apache-2.0
// Mistakes that a user of the front end can make: the code and the text of each error. No error ends the program, and
// the next call works normally.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/sorting.h"
#include "hilo/lax/special.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

Array same(const Array& x) { return x; }
Array total(const Array& x) { return numpy::sum(x); }

struct Row {
  const char* name;
  void (*call)();
  StatusCode code;
  const char* text;  ///< part of the message
  bool names_its_line = true;
};

const Row kRows[] = {
    // Values that a tracer doesn't have.
    {"if_under_jit", [] { jit([](const Array& x) { return x > 0.0f ? x : -x; })(Array(1.0f)); },
     StatusCode::kFailedPrecondition, "jit made pred[] at function_bad_input_test.cc:"},
    {"if_under_vmap", [] { vmap([](const Array& x) { return x > 0.0f ? x : -x; })(numpy::ones({2})); },
     StatusCode::kFailedPrecondition, "vmap made pred[] at function_bad_input_test.cc:"},
    {"if_under_vmap_of_grad", [] { vmap(grad([](const Array& x) { return x > 0.0f ? x : -x; }))(numpy::ones({2})); },
     StatusCode::kFailedPrecondition, "vmap made pred[] at function_bad_input_test.cc:"},
    {"if_under_grad_of_vmap",
     [] {
       grad([](const Array& rows) { return total(vmap([](const Array& x) { return x > 0.0f ? x : -x; })(rows)); })(
           numpy::ones({2}));
     },
     StatusCode::kFailedPrecondition, "vmap made pred[] at function_bad_input_test.cc:"},
    {"if_in_scan",
     [] {
       lax::scan([](const Array& c, const Array& x) { return std::pair(x > 0.0f ? c : x, x); }, numpy::zeros({}),
                 numpy::ones({2}));
     },
     StatusCode::kFailedPrecondition, "scan made pred[] at function_bad_input_test.cc:"},
    {"item_under_jit", [] { jit([](const Array& x) { return x * x.item<float>(); })(Array(1.0f)); },
     StatusCode::kFailedPrecondition, "jit made f32[] at"},
    {"to_vector_under_eval_shape",
     [] {
       eval_shape(
           [](const Array& x) {
             x.to_vector<float>();
             return x;
           },
           Array(1.0f));
     },
     StatusCode::kFailedPrecondition, "eval_shape made f32[] at"},
    // Tracers that outlive their trace.
    {"leaked_from_jit",
     [] {
       Array leaked;
       jit([&](const Array& x) { return leaked = x + 1.0f; })(Array(1.0f));
       leaked + 1.0f;
     },
     StatusCode::kFailedPrecondition, "was given f32[], made at function_bad_input_test.cc:"},
    {"leaked_from_grad",
     [] {
       Array leaked;
       grad([&](const Array& x) { return leaked = x * x; })(Array(1.0f));
       leaked + 1.0f;
     },
     StatusCode::kFailedPrecondition, "leaked tracer: add"},
    {"leaked_from_vmap",
     [] {
       Array leaked;
       vmap([&](const Array& x) { return leaked = x * x; })(numpy::ones({2}));
       leaked + 1.0f;
     },
     StatusCode::kFailedPrecondition, "inside vmap, which has ended"},
    {"leaked_from_scan",
     [] {
       Array leaked;
       lax::scan([&](const Array& c, const Array& x) { return std::pair(c, leaked = x * c); }, numpy::zeros({}),
                 numpy::ones({2}));
       leaked + 1.0f;
     },
     StatusCode::kFailedPrecondition, "inside scan, which has ended"},
    {"leaked_and_read",
     [] {
       Array leaked;
       jit([&](const Array& x) { return leaked = x + 1.0f; })(Array(1.0f));
       leaked.item<float>();
     },
     StatusCode::kFailedPrecondition, "reading a value was given f32[], made at function_bad_input_test.cc:"},
    {"leaked_into_jit",
     [] {
       Array leaked;
       vmap([&](const Array& x) { return leaked = x * x; })(numpy::ones({2}));
       jit([&](const Array& x) { return x + leaked; })(Array(1.0f));
     },
     StatusCode::kFailedPrecondition, "leaked tracer: add"},
    // Derivatives.
    {"grad_of_a_vector", [] { grad(same)(numpy::zeros({3})); }, StatusCode::kInvalidArgument,
     "Gradient only defined for scalar-output functions. Output had shape: f32[3]"},
    {"grad_of_an_integer", [] { grad(total)(numpy::arange(3)); }, StatusCode::kInvalidArgument,
     "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of inexact), but got s32[3]"},
    {"grad_of_a_bool", [] { grad(same)(numpy::zeros({}) > 1.0f); }, StatusCode::kInvalidArgument,
     "grad requires real- or complex-valued inputs"},
    {"grad_to_an_integer",
     [] { grad([](const Array& x) { return numpy::astype(x, ElementType::kS32); })(Array(1.0f)); },
     StatusCode::kInvalidArgument, "grad requires real-valued outputs"},
    {"jvp_tangent_of_other_shape", [] { jvp(same, std::tuple(numpy::zeros({3})), std::tuple(numpy::zeros({2}))); },
     StatusCode::kInvalidArgument, ": tangent: leaf 0 is f32[2], wanted f32[3]"},
    {"jvp_tangent_of_other_type",
     [] { jvp(same, std::tuple(numpy::zeros({3})), std::tuple(numpy::zeros({3}, ElementType::kF16))); },
     StatusCode::kInvalidArgument, ": tangent: leaf 0 is f16[3], wanted f32[3]"},
    {"jvp_tangents_of_other_structure",
     [] {
       jvp([](const std::vector<Array>& x) { return x[0]; }, std::tuple(std::vector<Array>{Array(1.0f), Array(2.0f)}),
           std::tuple(std::vector<Array>{Array(1.0f)}));
     },
     StatusCode::kInvalidArgument, ": tangent: got 1 leaves, wanted 2"},
    {"vjp_cotangent_of_other_shape", [] { vjp(same, numpy::zeros({3})).second(numpy::zeros({4})); },
     StatusCode::kInvalidArgument, ": cotangent: leaf 0 is f32[4], wanted f32[3]"},
    {"linearize_tangent_of_other_shape", [] { linearize(same, numpy::zeros({3})).second(numpy::zeros({})); },
     StatusCode::kInvalidArgument, ": tangent: leaf 0 is f32[], wanted f32[3]"},
    {"value_and_grad_of_a_vector", [] { value_and_grad(same)(numpy::zeros({3})); }, StatusCode::kInvalidArgument,
     "value_and_grad (function_bad_input_test.cc:"},
    {"grad_of_no_such_argument",
     [] {
       grad<1>([](const Array& x, const std::vector<Array>& y) { return x * y[0]; })(
           Array(1.0f), std::vector<Array>{numpy::arange(2)});
     },
     StatusCode::kInvalidArgument, "grad (function_bad_input_test.cc:"},
    {"jacfwd_of_an_integer", [] { jacfwd(same)(numpy::arange(3)); }, StatusCode::kInvalidArgument,
     "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of floating), but got s32[3]"},
    {"jacrev_to_an_integer",
     [] { jacrev([](const Array& x) { return numpy::astype(x, ElementType::kS32); })(numpy::zeros({2})); },
     StatusCode::kInvalidArgument, "jacrev (function_bad_input_test.cc:"},
    {"hessian_of_an_integer", [] { hessian(same)(numpy::arange(3)); }, StatusCode::kInvalidArgument,
     " requires real-valued inputs"},
    {"index_under_grad", [] { grad([](const Array& x) { return x[5]; })(numpy::zeros({3})); }, StatusCode::kOutOfRange,
     "index (function_bad_input_test.cc:"},
    {"stack_under_vmap",
     [] { vmap([](const Array& x) { return numpy::stack({x, numpy::zeros({2})}); })(numpy::zeros({2, 3})); },
     StatusCode::kInvalidArgument, "stack (function_bad_input_test.cc:"},
    {"index_under_jvp",
     [] { jvp([](const Array& x) { return x[3]; }, std::tuple(numpy::zeros({3})), std::tuple(numpy::zeros({3}))); },
     StatusCode::kOutOfRange, "index (function_bad_input_test.cc:"},
    {"shapes_under_linearize",
     [] { linearize([](const Array& x) { return lax::mul(x, numpy::zeros({4})); }, numpy::zeros({3})); },
     StatusCode::kInvalidArgument, "mul (function_bad_input_test.cc:"},
    {"shapes_under_vjp", [] { vjp([](const Array& x) { return lax::mul(x, numpy::zeros({4})); }, numpy::zeros({3})); },
     StatusCode::kInvalidArgument, "mul (function_bad_input_test.cc:"},
    {"shapes_under_jacobian",
     [] { jacrev([](const Array& x) { return lax::mul(x, numpy::zeros({4})); })(numpy::zeros({3})); },
     StatusCode::kInvalidArgument, "mul (function_bad_input_test.cc:"},
    {"reverse_of_a_while_loop",
     [] {
       grad([](const Array& x) {
         return lax::while_loop([](const Array& y) { return y < 10.0f; }, [](const Array& y) { return y * y; }, x);
       })(Array(2.0f));
     },
     StatusCode::kInvalidArgument, "Reverse-mode differentiation does not work for lax.while_loop"},
    // vmap.
    {"vmap_over_unequal_sizes",
     [] { vmap([](const Array& x, const Array& y) { return x + y; })(numpy::zeros({2}), numpy::zeros({3})); },
     StatusCode::kInvalidArgument, "): got inconsistent sizes for array axes to be mapped: 2, and argument leaf 1"},
    {"vmap_over_nothing", [] { vmap(same, {kNoAxis})(numpy::zeros({2})); }, StatusCode::kInvalidArgument,
     "vmap (function_bad_input_test.cc:"},
    {"vmap_over_a_scalar", [] { vmap(same)(Array(1.0f)); }, StatusCode::kInvalidArgument,
     "axis 0 is out of range for argument leaf 0 of type f32[]"},
    {"vmap_axis_out_of_range", [] { vmap(same, {-3})(numpy::zeros({2, 2})); }, StatusCode::kInvalidArgument,
     "axis -3 is out of range for argument leaf 0 of type f32[2,2]"},
    {"vmap_with_too_many_in_axes", [] { vmap(same, {0, 1})(numpy::zeros({2, 2})); }, StatusCode::kInvalidArgument,
     "in_axes must have one entry or one each: got 2 for 1"},
    {"vmap_out_axis_out_of_range", [] { vmap(same, {0}, {2})(numpy::zeros({2, 2})); }, StatusCode::kInvalidArgument,
     "out_axes: axis 2 is out of range for result 0"},
    {"vmap_of_a_mapped_result_to_none", [] { vmap(same, {0}, {kNoAxis})(numpy::zeros({2})); },
     StatusCode::kInvalidArgument, "result 0 has mapped axis 0 but out_axes is None"},
    // Control flow.
    {"cond_of_a_vector", [] { lax::cond(numpy::zeros({2}) > 0.0f, same, same, Array(1.0f)); },
     StatusCode::kInvalidArgument, "Pred must be a scalar, got pred[2]"},
    {"cond_of_other_types", [] { lax::cond(true, same, [](const Array& x) { return x > 0.0f; }, Array(1.0f)); },
     StatusCode::kInvalidArgument, "cond branches must have equal output types but they differ"},
    {"while_of_a_vector_condition",
     [] { lax::while_loop([](const Array& x) { return x > 0.0f; }, same, numpy::zeros({2})); },
     StatusCode::kInvalidArgument, "cond_fun must return a boolean scalar, got (pred[2])"},
    {"while_of_a_number_condition", [] { lax::while_loop(same, same, numpy::zeros({})); }, StatusCode::kInvalidArgument,
     "cond_fun must return a boolean scalar, got (f32[])"},
    {"while_that_changes_its_carry",
     [] {
       lax::while_loop([](const Array& x) { return total(x) > 0.0f; },
                       [](const Array& x) { return numpy::concatenate({x, x}); }, numpy::zeros({2}));
     },
     StatusCode::kInvalidArgument, "while_loop: the body's result (function_bad_input_test.cc:"},
    {"fori_loop_that_changes_its_carry",
     [] { lax::fori_loop(0, 3, [](const Array&, const Array& x) { return x > 0.0f; }, numpy::zeros({2})); },
     StatusCode::kInvalidArgument, "got (s32[], pred[2]), wanted (s32[], f32[2])"},
    {"scan_that_changes_its_carry",
     [] {
       lax::scan([](const Array& c, const Array& x) { return std::pair(numpy::stack({c, c}), x); }, numpy::zeros({}),
                 numpy::zeros({3}));
     },
     StatusCode::kInvalidArgument, "carry input and carry output must have equal types"},
    {"scan_over_unequal_sizes",
     [] {
       lax::scan([](const Array& c, const std::pair<Array, Array>& x) { return std::pair(c, x.first); },
                 numpy::zeros({}), std::pair(numpy::zeros({3}), numpy::zeros({4})));
     },
     StatusCode::kInvalidArgument, "scan got values with different leading axis sizes: 3, 4"},
    {"scan_over_a_scalar",
     [] { lax::scan([](const Array& c, const Array& x) { return std::pair(c, x); }, numpy::zeros({}), Array(1.0f)); },
     StatusCode::kInvalidArgument, "xs must have a leading axis; got f32[]"},
    {"scan_that_changes_structure",
     [] {
       lax::scan(
           [](const std::vector<Array>& c, const Array& x) { return std::pair(std::vector<Array>{c[0], c[0]}, x); },
           std::vector<Array>{numpy::zeros({})}, numpy::zeros({3}));
     },
     StatusCode::kInvalidArgument, "the step's carry has another structure"},
    {"error_in_a_branch_names_its_own_line",
     [] { lax::cond(true, [](const Array& x) { return lax::add(x, numpy::zeros({4})); }, same, numpy::zeros({3})); },
     StatusCode::kInvalidArgument, "add (function_bad_input_test.cc:"},
    // Arguments of functions.
    {"donated_and_read",
     [] {
       const Array x = numpy::array({1.0, 2});
       jit([](const Array& y) { return y + 1.0f; }, {.donate_argnums = {0}})(x);
       x + 1.0f;
     },
     StatusCode::kInvalidArgument, "has been donated"},
    {"donated_and_passed_again",
     [] {
       const Array x = numpy::array({1.0, 2});
       auto f = jit([](const Array& y) { return y + 1.0f; }, {.donate_argnums = {0}});
       f(x);
       f(x);
     },
     StatusCode::kInvalidArgument, "has been donated"},
    {"donated_argument_out_of_range", [] { jit(same, {.donate_argnums = {1}})(Array(1.0f)); },
     StatusCode::kInvalidArgument, "): 1 is out of range for a function of 1 arguments"},
    {"error_inside_jit_names_the_line",
     [] { jit([](const Array& x) { return x + numpy::zeros({4}); })(numpy::zeros({3})); }, StatusCode::kInvalidArgument,
     "broadcast (function_bad_input_test.cc:"},
    {"error_under_vmap_shows_one_example",
     [] { vmap([](const Array& x) { return lax::add(x, numpy::zeros({4})); })(numpy::zeros({2, 3})); },
     StatusCode::kInvalidArgument, "f32[3] and f32[4]"},
    // Arrays.
    {"shapes_that_dont_broadcast", [] { numpy::zeros({2, 3}) + numpy::zeros({2}); }, StatusCode::kInvalidArgument,
     "incompatible shapes [2,3] and [2]"},
    {"types_that_lax_does_not_mix", [] { lax::add(numpy::zeros({2}), numpy::arange(2)); }, StatusCode::kInvalidArgument,
     "add (function_bad_input_test.cc:"},
    {"wrong_ranks", [] { numpy::matmul(numpy::zeros({}), numpy::zeros({2})); }, StatusCode::kInvalidArgument, "matmul"},
    {"inner_sizes_that_differ", [] { numpy::matmul(numpy::zeros({2, 3}), numpy::zeros({2, 3})); },
     StatusCode::kInvalidArgument, "dot (function_bad_input_test.cc:"},
    {"axis_out_of_range", [] { numpy::sum(numpy::zeros({2, 2}), 2); }, StatusCode::kInvalidArgument,
     "2 is out of range for f32[2,2]"},
    {"axis_twice", [] { numpy::sum(numpy::zeros({2, 2}), {0, -2}); }, StatusCode::kInvalidArgument, "duplicate axis"},
    {"index_out_of_range", [] { numpy::zeros({2})[2]; }, StatusCode::kOutOfRange, "2 is out of range for f32[2]"},
    {"reshape_to_another_size", [] { numpy::reshape(numpy::zeros({6}), {4, 2}); }, StatusCode::kInvalidArgument,
     "reshape (function_bad_input_test.cc:"},
    {"reshape_with_two_unknowns", [] { numpy::reshape(numpy::zeros({6}), {-1, -1}); }, StatusCode::kInvalidArgument,
     "-1"},
    {"concatenate_nothing", [] { numpy::concatenate({}); }, StatusCode::kInvalidArgument, "at least one array"},
    {"concatenate_unequal", [] { numpy::concatenate({numpy::zeros({2, 3}), numpy::zeros({2, 4})}); },
     StatusCode::kInvalidArgument, "concatenate"},
    {"negative_size", [] { numpy::zeros({2, -1}); }, StatusCode::kInvalidArgument, "-1"},
    {"shape_of_2_to_62_elements", [] { numpy::zeros({int64_t{1} << 31, int64_t{1} << 31}); },
     StatusCode::kInvalidArgument, "f32[2147483648,2147483648] needs more than 2^63-1 bytes"},
    {"item_of_a_vector", [] { numpy::zeros({2}).item<float>(); }, StatusCode::kInvalidArgument, "size 1"},
    {"values_that_dont_fill_the_shape", [] { Array::from_vector<float>({1, 2, 3}, {2, 2}); },
     StatusCode::kInvalidArgument, "3"},
    {"transpose_with_an_axis_twice", [] { numpy::transpose(numpy::zeros({2, 3}), {0, 0}); },
     StatusCode::kInvalidArgument, "must be a permutation of all axes; got [0,0] for f32[2,3]"},
    {"transpose_with_too_few_axes", [] { numpy::transpose(numpy::zeros({2, 3}), {1}); }, StatusCode::kInvalidArgument,
     "must be a permutation"},
    {"transpose_with_too_many_axes", [] { numpy::transpose(numpy::zeros({2, 3}), {0, 1, 1}); },
     StatusCode::kInvalidArgument, "must be a permutation"},
    {"transpose_with_an_axis_out_of_range", [] { numpy::transpose(numpy::zeros({2, 3}), {0, 2}); },
     StatusCode::kInvalidArgument, "2 is out of range for f32[2,3]"},
    {"max_of_nothing", [] { numpy::max(numpy::zeros({0})); }, StatusCode::kInvalidArgument,
     "zero-size array to reduction operation max, which has no identity; got f32[0]"},
    {"min_of_nothing_along_an_axis", [] { numpy::min(numpy::zeros({2, 0}), 1); }, StatusCode::kInvalidArgument,
     "zero-size array to reduction operation min"},
    {"argmax_of_nothing", [] { numpy::argmax(numpy::zeros({0})); }, StatusCode::kInvalidArgument, "argmax"},
    {"argmin_of_nothing", [] { numpy::argmin(numpy::zeros({0, 2}), 0); }, StatusCode::kInvalidArgument, "argmin"},
    {"argmax_of_a_scalar", [] { numpy::argmax(Array(1.0f), -1); }, StatusCode::kInvalidArgument, "-1 is out of range"},
    {"max_over_an_axis_twice", [] { numpy::max(numpy::zeros({2, 3}), {1, -1}); }, StatusCode::kInvalidArgument,
     "duplicate axis in [1,-1]"},
    {"squeeze_an_axis_twice", [] { numpy::squeeze(numpy::zeros({1, 1}), {0, 0}); }, StatusCode::kInvalidArgument,
     "duplicate axis"},
    {"squeeze_an_axis_of_two", [] { numpy::squeeze(numpy::zeros({1, 2}), 1); }, StatusCode::kInvalidArgument,
     "isn't 1"},
    {"expand_dims_out_of_range", [] { numpy::expand_dims(numpy::zeros({2}), 3); }, StatusCode::kInvalidArgument,
     "axis 3 is out of range"},
    {"flip_an_axis_twice", [] { numpy::flip(numpy::zeros({2, 2}), {0, 0}); }, StatusCode::kInvalidArgument,
     "duplicate axis"},
    {"reshape_that_no_extent_fits", [] { numpy::reshape(numpy::zeros({4}), {3, -1}); }, StatusCode::kInvalidArgument,
     "f32[4] can't become [3,-1]"},
    {"reshape_of_nothing_to_any_extent", [] { numpy::reshape(numpy::zeros({0}), {0, -1}); },
     StatusCode::kInvalidArgument, "f32[0] can't become [0,-1]"},
    {"reshape_to_negative_extents", [] { numpy::reshape(numpy::zeros({4}), {-2, -2}); }, StatusCode::kInvalidArgument,
     "-2"},
    {"reshape_to_overflowing_extents",
     [] { numpy::reshape(numpy::zeros({4}), {int64_t{1} << 32, int64_t{1} << 32, -1}); }, StatusCode::kInvalidArgument,
     "shape"},
    {"stack_of_nothing", [] { numpy::stack({}); }, StatusCode::kInvalidArgument, "stack (function_bad_input_test.cc:"},
    {"stack_of_unequal_shapes", [] { numpy::stack({numpy::zeros({2}), numpy::zeros({3})}); },
     StatusCode::kInvalidArgument, "all arrays must have one shape; got f32[2] and f32[3]"},
    {"stack_along_no_axis", [] { numpy::stack({numpy::zeros({2})}, 3); }, StatusCode::kInvalidArgument,
     "axis 3 is out of range"},
    {"concatenate_scalars", [] { numpy::concatenate({Array(1.0f)}); }, StatusCode::kInvalidArgument,
     "0 is out of range for f32[]"},
    {"concatenate_unequal_ranks", [] { numpy::concatenate({numpy::zeros({2}), numpy::zeros({2, 2})}); },
     StatusCode::kInvalidArgument, "concatenate"},
    {"concatenate_along_no_axis", [] { numpy::concatenate({numpy::zeros({2, 2})}, 2); }, StatusCode::kInvalidArgument,
     "2 is out of range"},
    {"arange_of_predicates", [] { numpy::arange(2, ElementType::kPred); }, StatusCode::kInvalidArgument,
     "wanted a type of numbers; got pred"},
    {"zeros_of_more_than_memory", [] { numpy::zeros({int64_t{1} << 58}); }, StatusCode::kResourceExhausted, "bytes"},
    {"arange_of_more_than_a_number_counts", [] { numpy::arange(int64_t{1} << 60); }, StatusCode::kOutOfRange,
     "does not fit s32"},
    {"eye_of_a_negative_size", [] { numpy::eye(-1); }, StatusCode::kInvalidArgument, "-1"},
    {"eye_of_more_than_can_be_counted", [] { numpy::eye(int64_t{1} << 40); }, StatusCode::kInvalidArgument,
     "2^63-1 bytes"},
    {"linspace_of_a_negative_count", [] { numpy::linspace(0, 1, -1); }, StatusCode::kInvalidArgument, "got -1"},
    {"one_hot_of_a_negative_count", [] { nn::one_hot(numpy::arange(2), -1); }, StatusCode::kInvalidArgument, "got -1"},
    {"slice_with_step_zero", [] { numpy::slice(numpy::zeros({3}), 0, 3, 0); }, StatusCode::kInvalidArgument,
     "step must be positive; got 0"},
    {"take_along_no_axis", [] { numpy::take(numpy::zeros({2, 2}), numpy::arange(1), 2); }, StatusCode::kInvalidArgument,
     "2 is out of range"},
    {"sort_along_no_axis", [] { numpy::sort(numpy::zeros({2}), 1); }, StatusCode::kInvalidArgument,
     "1 is out of range"},
    {"cumsum_along_no_axis", [] { numpy::cumsum(numpy::zeros({2}), 1); }, StatusCode::kInvalidArgument,
     "1 is out of range"},
    {"broadcast_to_fewer_axes", [] { numpy::broadcast_to(numpy::zeros({2, 2}), {2}); }, StatusCode::kInvalidArgument,
     "can't become [2]"},
    {"broadcast_to_another_extent", [] { numpy::broadcast_to(numpy::zeros({2}), {3}); }, StatusCode::kInvalidArgument,
     "incompatible shapes [2] and [3]"},
    {"full_of_another_shape", [] { numpy::full({2}, numpy::zeros({3})); }, StatusCode::kInvalidArgument,
     "incompatible shapes"},
    {"integers_to_a_negative_power", [] { numpy::power(numpy::arange(3), -1); }, StatusCode::kInvalidArgument,
     "integers cannot be raised to negative powers; got s32[3] and -1"},
    {"less_of_a_predicate", [] { -(numpy::zeros({2}) > 0.0f); }, StatusCode::kInvalidArgument,
     "function_bad_input_test.cc:"},
    {"sign_of_a_predicate", [] { numpy::sign(numpy::zeros({2}) > 0.0f); }, StatusCode::kInvalidArgument,
     "function_bad_input_test.cc:"},
    {"bits_of_floats", [] { numpy::zeros({2}) & numpy::zeros({2}); }, StatusCode::kInvalidArgument,
     "function_bad_input_test.cc:"},
    {"top_k_of_too_many", [] { lax::top_k(numpy::zeros({3}), 4); }, StatusCode::kInvalidArgument,
     "function_bad_input_test.cc:"},
    {"top_k_of_less_than_none", [] { lax::top_k(numpy::zeros({3}), -1); }, StatusCode::kInvalidArgument,
     "function_bad_input_test.cc:"},
    {"split_into_less_than_none", [] { random::split(random::key(0), -1); }, StatusCode::kInvalidArgument, "-1", false},
    {"moved_from",
     [] {
       Array x = Array(1.0f);
       const Array y = std::move(x);
       lax::add(y, x);
     },
     StatusCode::kFailedPrecondition, "moved from"},
    {"trees_of_other_structure",
     [] {
       tree_map([](const Array& a, const Array&) { return a; }, std::vector<Array>{Array(1.0f)}, std::vector<Array>{});
     },
     StatusCode::kInvalidArgument, "the trees have different structures", false},
};

class BadInput : public testing::TestWithParam<Row> {};

/// The first line of this file that a message names; 0 if it names none.
int line_named_in(const std::string& message) {
  const std::string file = "function_bad_input_test.cc:";
  const size_t at = message.find(file);
  return at == std::string::npos ? 0 : std::atoi(message.c_str() + at + file.size());
}

TEST_P(BadInput, IsAnErrorWithACodeAndWords) {
  const std::string text = error_of(GetParam().call, GetParam().code);
  EXPECT_NE(text.find(GetParam().text), std::string::npos) << text;
  EXPECT_EQ(line_named_in(text) != 0, GetParam().names_its_line) << text;
  EXPECT_EQ(grad([](const Array& x) { return x * x; })(Array(3.0f)).item<float>(), 6);  // no trace is left behind
}

TEST(BadInputLines, AscendAsTheRowsDo) {
  int before = 0;
  for (const Row& row : kRows) {
    if (!row.names_its_line) continue;
    const int line = line_named_in(error_of(row.call, row.code));
    EXPECT_GT(line, before) << row.name;
    before = line;
  }
}

INSTANTIATE_TEST_SUITE_P(FrontEnd, BadInput, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
