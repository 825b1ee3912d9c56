// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

ProgramHandle grad_of(const hilo_program* program, std::vector<size_t> arguments) {
  return made<ProgramHandle>([&](hilo_program** derivative, char** error) {
    return hilo_grad(program, arguments.data(), arguments.size(), derivative, error);
  });
}

std::string result_text(const hilo_program* program, size_t index) {
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_EQ(hilo_result(program, index, &array, nullptr), HILO_CODE_OK);
  return std::string(array.path) + ": " + array.text;
}

TEST(CTransform, GradAddsGradientsInTheirOrder) {
  const ProgramHandle program = program_of(kSquare);
  const ProgramHandle slopes = grad_of(program.get(), {1, 0});
  ASSERT_EQ(hilo_result_count(slopes.get()), 4u);
  EXPECT_EQ(result_text(slopes.get(), 1), "1: f64[3]");
  EXPECT_EQ(result_text(slopes.get(), 2), "grad k: f64[3]");
  EXPECT_EQ(result_text(slopes.get(), 3), "grad x: f64[3]");
  const FunctionHandle function = function_of(slopes.get());
  const double x[3] = {1, 2, 3}, k[3] = {1, 10, 100};
  double y = 0, z[3] = {}, dk[3] = {}, dx[3] = {};
  const void* arguments[] = {x, k};
  void* results[] = {&y, z, dk, dx};
  ASSERT_EQ(error_of_c([&](char** error) { return hilo_call(function.get(), arguments, 2, results, 4, error); }), "");
  EXPECT_EQ(y, 941);
  EXPECT_EQ(z[2], 103);
  EXPECT_EQ(std::vector(dk, dk + 3), (std::vector<double>{1, 4, 9}));
  EXPECT_EQ(std::vector(dx, dx + 3), (std::vector<double>{2, 40, 600}));
}

TEST(CTransform, TransformationsCompose) {
  const ProgramHandle program = program_of(kSquare);
  const ProgramHandle slopes = grad_of(program.get(), {0});
  const int32_t axes[] = {0, -1};  // a batch of x, one k
  const ProgramHandle batch = made<ProgramHandle>(
      [&](hilo_program** batched, char** error) { return hilo_vmap(slopes.get(), 2, axes, batched, error); });
  EXPECT_EQ(result_text(batch.get(), 0), "0: f64[2]");
  EXPECT_EQ(result_text(batch.get(), 2), "grad x: f64[2,3]");
  const FunctionHandle function = function_of(batch.get());
  const double x[6] = {1, 2, 3, 4, 5, 6}, k[3] = {1, 10, 100};
  double y[2] = {}, z[6] = {}, dx[6] = {};
  const void* arguments[] = {x, k};
  void* results[] = {y, z, dx};
  ASSERT_EQ(error_of_c([&](char** error) { return hilo_call(function.get(), arguments, 2, results, 3, error); }), "");
  EXPECT_EQ(y[1], 16 + 250 + 3600);
  EXPECT_EQ(z[3], 5);
  EXPECT_EQ(dx[5], 1200);
}

TEST(CTransform, WrongArgumentsAreErrors) {
  const ProgramHandle program = program_of(kSquare), types = program_of(kTypes);
  const auto grad_error = [](const hilo_program* of, std::vector<size_t> arguments) {
    hilo_program* derivative = nullptr;
    const std::string text =
        error_of_c([&](char** error) { return hilo_grad(of, arguments.data(), arguments.size(), &derivative, error); });
    EXPECT_EQ(derivative, nullptr);
    return text;
  };
  EXPECT_HAS(grad_error(program.get(), {2}), "3 INVALID_ARGUMENT: hilo_grad: argument 2 of 2 doesn't exist");
  EXPECT_HAS(grad_error(program.get(), {size_t(-1)}), "doesn't exist");
  EXPECT_HAS(grad_error(program.get(), {0, 0}), "argument 0 is named twice");
  EXPECT_HAS(grad_error(types.get(), {0}), "wanted a scalar of a float type");
  EXPECT_HAS(grad_error(nullptr, {0}), "program is null");
  hilo_program* made_one = nullptr;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_grad(program.get(), nullptr, 1, &made_one, error); }),
             "arguments is null");
  const int32_t axes[] = {2, 0};
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_vmap(program.get(), 2, axes, &made_one, error); }),
             "argument 0 is f64[3]; got axis 2; wanted -1 to 1");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_vmap(program.get(), 0, nullptr, &made_one, error); }),
             "got a batch of 0");
  EXPECT_HAS(
      error_of_c([&](char** error) { return hilo_vmap(program.get(), int64_t{1} << 61, nullptr, &made_one, error); }),
      "INVALID_ARGUMENT");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_vmap(nullptr, 2, nullptr, &made_one, error); }),
             "program is null");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_vmap(program.get(), 2, nullptr, nullptr, error); }),
             "batched is null");
}

}  // namespace
}  // namespace hilo::tests
