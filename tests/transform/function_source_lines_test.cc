// SPDX-License-Identifier: Apache-2.0
// Instructions retain the source line of the user's program through transformations and passes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "hilo/client/hlo_text.h"
#include "hilo/client/local_computation.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

// The functions under test are between kFirstLine and the last line below.
constexpr int kFirstLine = __LINE__;

Array branches(const Array& x) {
  return lax::cond(
      numpy::sum(x) > 0.0f,
      [](const Array& y) {
        const Array z = numpy::sin(y);
        return numpy::sum(z * y);
      },
      [](const Array& y) { return numpy::sum(numpy::exp(y)); }, x);
}

Array steps(const Array& x) {
  const auto [last, all] = lax::scan(
      [&](const Array& carry, const Array& row) {
        const Array next = numpy::tanh(carry * row) + x[0];
        return std::pair(next, next * 2.0f);
      },
      numpy::ones({3}), numpy::broadcast_to(x, {5, 3}));
  return numpy::sum(last) + numpy::sum(all);
}

Array doubled_until_large(const Array& x) {
  const Array grown = lax::while_loop([](const Array& y) { return numpy::sum(y) < 100.0f; },
                                      [&](const Array& y) { return y * y + x; }, numpy::abs(x) + 2.0f);
  return numpy::sum(grown);
}

Array counted(const Array& x) {
  return numpy::sum(lax::fori_loop(0, 4, [](const Array&, const Array& y) { return numpy::cos(y) * y; }, x));
}

Array called(const Array& x) {
  const auto inner = jit([](const Array& y) { return numpy::log(y * y + 1.0f); });
  return numpy::sum(inner(x) * inner(x + 1.0f));
}

Array plain(const Array& x) {
  const Array joined = numpy::concatenate({x, numpy::stack({x[0], x[1]})});
  return numpy::sum(joined * joined) / numpy::sum(numpy::ones({2}));
}

template <typename F>
auto gradient_of(F f) {
  return grad(f);
}
template <typename F>
auto gradients_of_rows(F f) {
  return [f](const Array& x) { return vmap(grad(f))(numpy::stack({x, x * 2.0f})); };
}
template <typename F>
auto gradient_over_rows(F f) {
  return grad([f](const Array& x) { return numpy::sum(vmap(f)(numpy::stack({x, x * 2.0f}))); });
}
template <typename F>
auto derivative_of(F f) {
  return [f](const Array& x) { return jvp(f, std::tuple(x), std::tuple(x)).second; };
}
template <typename F>
auto second_derivative_of(F f) {
  return hessian(f);
}

constexpr int kLastLine = __LINE__;

/// Whether the op only forwards values and corresponds to no operation of the user.
bool hands_on(const hlo::Instruction& i) {
  using hlo::Opcode;
  return i.opcode == Opcode::kParameter || i.opcode == Opcode::kTuple || i.opcode == Opcode::kGetTupleElement ||
         i.opcode == Opcode::kConstant;
}

/// Every other instruction of the module and of its called computations has a line of the functions above.
void expect_lines(const hlo::Module& module, const std::string& where) {
  std::set<const hlo::Computation*> seen;
  std::vector<hlo::ComputationPtr> open = {module.entry};
  while (!open.empty()) {
    const hlo::ComputationPtr computation = open.back();
    open.pop_back();
    if (!seen.insert(computation.get()).second) continue;
    for (const hlo::Instruction& i : computation->instructions()) {
      const bool reducer = i.opcode == hlo::Opcode::kReduce || i.opcode == hlo::Opcode::kScatter;
      for (const hlo::ComputationPtr& called : hlo::called_computations(i)) {
        if (!reducer) open.push_back(called);  // not a scalar sum that the library adds
      }
      if (hands_on(i)) continue;
      const int64_t line = i.annotations == nullptr ? 0 : i.annotations->source_line;
      EXPECT_TRUE(line > kFirstLine && line < kLastLine &&
                  i.annotations->source_file == "function_source_lines_test.cc")
          << where << ": " << hlo::describe(i) << " of " << computation->name() << "\n"
          << hlo_text(module);
    }
  }
}

template <typename F>
void expect_lines_of(const F& f, const std::string& where) {
  const std::string text = make_hlo(f)(numpy::array({0.5, 0.25, 1.5}));
  const hlo::Module module = or_throw(hlo::parse_module(text));
  expect_lines(module, where + " as traced");
  expect_lines(*or_throw(compile_under_flags(module)).executable()->optimized_module(), where + " after all passes");
}

TEST(SourceLines, StayInFunctionsAsWritten) {
  expect_lines_of(plain, "plain");
  expect_lines_of(branches, "cond");
  expect_lines_of(steps, "scan");
  expect_lines_of(doubled_until_large, "while_loop");
  expect_lines_of(counted, "fori_loop");
  expect_lines_of(called, "jit");
}

TEST(SourceLines, StayUnderGrad) {
  expect_lines_of(gradient_of(plain), "grad of plain");
  expect_lines_of(gradient_of(branches), "grad of cond");
  expect_lines_of(gradient_of(steps), "grad of scan");
  expect_lines_of(gradient_of(counted), "grad of fori_loop");
  expect_lines_of(gradient_of(called), "grad of jit");
}

TEST(SourceLines, StayUnderJvp) {
  expect_lines_of(derivative_of(branches), "jvp of cond");
  expect_lines_of(derivative_of(steps), "jvp of scan");
  expect_lines_of(derivative_of(doubled_until_large), "jvp of while_loop");
}

TEST(SourceLines, StayUnderVmapAndGrad) {
  expect_lines_of(gradients_of_rows(branches), "vmap of grad of cond");
  expect_lines_of(gradient_over_rows(branches), "grad of vmap of cond");
  expect_lines_of(gradients_of_rows(steps), "vmap of grad of scan");
  expect_lines_of(gradient_over_rows(called), "grad of vmap of jit");
}

TEST(SourceLines, StayInHessians) {
  expect_lines_of(second_derivative_of(plain), "hessian of plain");
  expect_lines_of(second_derivative_of(branches), "hessian of cond");
}

}  // namespace
}  // namespace hilo
