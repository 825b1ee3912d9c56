// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

/// The sums of columns, and the array twice.
constexpr std::string_view kOpen =
    R"(func.func @main(%x: tensor<?x3xf32>, %k: tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %t = stablehlo.multiply %s, %k : tensor<3xf32>
  %y = stablehlo.add %x, %x : tensor<?x3xf32>
  return %t, %y : tensor<3xf32>, tensor<?x3xf32>
})";
constexpr std::array<int64_t, 2> kBuckets = {4, 8};

hilo_compile_options options_of(const int32_t* axes) {
  hilo_compile_options options = {};
  options.size = sizeof options;
  options.buckets = kBuckets.data();
  options.bucket_count = kBuckets.size();
  options.bucket_axes = axes;
  return options;
}

BufferHandle buffer_of(const std::vector<float>& elements, std::vector<int64_t> dimensions) {
  return made<BufferHandle>([&](hilo_buffer** buffer, char** error) {
    return hilo_buffer_copy(HILO_TYPE_F32, dimensions.data(), dimensions.size(), elements.data(), buffer, error);
  });
}

std::vector<float> elements_of(const hilo_buffer* buffer) {
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_array(buffer, &array, error); }), "");
  std::vector<float> elements(array.bytes / sizeof(float));
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_read(buffer, elements.data(), array.bytes, error); }),
            "");
  return elements;
}

struct Results {
  std::string error;
  std::vector<float> sums, twice;
};

/// Calls the function, or starts it, with `rows` rows of ones and twos.
Results call(const hilo_function* function, int64_t rows, bool starts = false) {
  std::vector<float> x(static_cast<size_t>(rows * 3), 1);
  for (size_t k = 2; k < x.size(); k += 3) x[k] = 2;
  const BufferHandle given = buffer_of(x, {rows, 3}), factors = buffer_of({1, 10, 100}, {3});
  const std::array<const hilo_buffer*, 2> arguments = {given.get(), factors.get()};
  std::array<hilo_buffer*, 2> results = {};
  Results all;
  all.error = error_of_c([&](char** error) {
    if (!starts) return hilo_call_buffers(function, arguments.data(), 2, results.data(), 2, error);
    hilo_run* run = nullptr;
    const int code = hilo_start(function, arguments.data(), 2, results.data(), 2, &run, error);
    EXPECT_EQ(hilo_run_has_ended(run), 1);
    hilo_run_free(run);
    return code;
  });
  const BufferHandle first(results[0]), second(results[1]);
  if (!all.error.empty()) return all;
  all.sums = elements_of(first.get());
  all.twice = elements_of(second.get());
  return all;
}

void expect_sums(const hilo_function* function, int64_t rows, bool starts = false) {
  const auto count = static_cast<float>(rows);
  const Results results = call(function, rows, starts);
  EXPECT_EQ(results.error, "");
  EXPECT_EQ(results.sums, (std::vector<float>{count, 10 * count, 200 * count}));
  EXPECT_EQ(results.twice.size(), static_cast<size_t>(rows * 3));
  EXPECT_EQ(results.twice.back(), 4);
}

TEST(CSizedFunction, RunsAllSizesOfItsBuckets) {
  const std::array<int32_t, 2> axes = {0, -1};
  for (const int32_t* chosen : {axes.data(), static_cast<const int32_t*>(nullptr)}) {
    const hilo_compile_options options = options_of(chosen);
    const FunctionHandle function = function_of(program_of(kOpen).get(), &options);
    for (const int64_t rows : {3, 1, 2, 4, 5, 8, 7}) expect_sums(function.get(), rows);
    expect_sums(function.get(), 6, true);
    EXPECT_HAS(call(function.get(), 9).error, "the largest bucket is 8");
    expect_sums(function.get(), 6);
  }
}

TEST(CSizedFunction, HasThreadsOfItsOwn) {
  hilo_compile_options options = options_of(nullptr);
  options.threads = 2;
  const FunctionHandle function = function_of(program_of(kOpen).get(), &options);
  for (const int64_t rows : {3, 5, 8}) expect_sums(function.get(), rows);
}

TEST(CSizedFunction, IsRejectedWhereSizesMustBeKnown) {
  const hilo_compile_options options = options_of(nullptr);
  const FunctionHandle function = function_of(program_of(kOpen).get(), &options);
  std::array<const void*, 2> arguments = {};
  std::array<void*, 2> results = {};
  EXPECT_HAS(error_of_c([&](char** error) {
               return hilo_call(function.get(), arguments.data(), 2, results.data(), 2, error);
             }),
             "Hint: hilo_call_buffers");
  void* context = nullptr;
  const hilo_pointer pointer = hilo_function_pointer(function.get(), &context);
  EXPECT_EQ(pointer(arguments.data(), results.data(), context), HILO_CODE_INVALID_ARGUMENT);
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_save(function.get(), "unwritten", error); }), "UNIMPLEMENTED");
}

TEST(CSizedFunction, OptionsAreChecked) {
  const ProgramHandle open = program_of(kOpen), closed = program_of(kSquare);
  hilo_function* function = nullptr;
  const auto error_with = [&](const ProgramHandle& program, const hilo_compile_options& options) {
    return error_of_c([&](char** error) { return hilo_compile(program.get(), &options, &function, error); });
  };
  EXPECT_HAS(error_with(closed, options_of(nullptr)), "has known sizes");
  const std::array<int32_t, 2> wrong = {-2, 0}, beyond = {2, -1};
  EXPECT_HAS(error_with(open, options_of(wrong.data())), "got axis -2 of argument 0");
  hilo_compile_options options = options_of(nullptr);
  options.buckets = nullptr;
  EXPECT_HAS(error_with(open, options), "buckets is null");
  const int64_t none = 0;
  options.buckets = &none;
  options.bucket_count = 1;
  EXPECT_HAS(error_with(open, options), "a bucket of less than 1");
  options = options_of(beyond.data());
  const FunctionHandle with_axis = function_of(open.get(), &options);
  EXPECT_HAS(call(with_axis.get(), 3).error, "has no axis 2");
}

}  // namespace
}  // namespace hilo::tests
