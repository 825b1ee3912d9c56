// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

/// A loop of a million turns, so that a run takes a while: x + 1000000.
constexpr std::string_view kSlow = R"(HloModule slow

body {
  t = (s32[], f64[3]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f64[3] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  o = f64[] constant(1)
  b = f64[3] broadcast(o), dimensions={}
  y = f64[3] add(x, b)
  ROOT r = (s32[], f64[3]) tuple(j, y)
}

condition {
  t = (s32[], f64[3]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(1000000)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f64[3] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f64[3]) tuple(zero, x)
  w = (s32[], f64[3]) while(t), condition=condition, body=body
  ROOT y = f64[3] get-tuple-element(w), index=1
}
)";

BufferHandle vector_of(const double* elements) {
  const int64_t three[] = {3};
  return made<BufferHandle>([&](hilo_buffer** buffer, char** error) {
    return hilo_buffer_copy(HILO_TYPE_F64, three, 1, elements, buffer, error);
  });
}

double first_of(const hilo_buffer* buffer) {
  double elements[3] = {};
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_read(buffer, elements, sizeof elements, error); }), "");
  return elements[0];
}

TEST(CRun, CallsOnBuffers) {
  const FunctionHandle function = function_of(program_of(kSquare).get());
  const double x[3] = {1, 2, 3}, k[3] = {1, 10, 100};
  const BufferHandle a = vector_of(x), b = vector_of(k);
  const hilo_buffer* arguments[] = {a.get(), b.get()};
  hilo_buffer* results[2] = {};
  ASSERT_EQ(error_of_c([&](char** e) { return hilo_call_buffers(function.get(), arguments, 2, results, 2, e); }), "");
  const BufferHandle y(results[0]), z(results[1]);
  double value = 0;
  EXPECT_EQ(hilo_buffer_read(y.get(), &value, sizeof value, nullptr), HILO_CODE_OK);
  EXPECT_EQ(value, 941);
  EXPECT_EQ(first_of(z.get()), 2);
}

TEST(CRun, StartsAndWaits) {
  FunctionHandle function = function_of(program_of(kSlow).get());
  const double x[3] = {1, 2, 3};
  BufferHandle a = vector_of(x);
  const hilo_buffer* argument = a.get();
  hilo_buffer *first = nullptr, *second = nullptr;
  hilo_run* run = nullptr;
  ASSERT_EQ(error_of_c([&](char** e) { return hilo_start(function.get(), &argument, 1, &first, 1, &run, e); }), "");
  const RunHandle handle(run);
  const BufferHandle middle(first);
  a.reset();  // the run has it
  argument = first;
  ASSERT_EQ(error_of_c([&](char** e) { return hilo_start(function.get(), &argument, 1, &second, 1, nullptr, e); }), "");
  const BufferHandle end(second);
  // Meanwhile a call on addresses waits its turn.
  double out[3] = {};
  const void* from = x;
  void* to = out;
  EXPECT_EQ(error_of_c([&](char** e) { return hilo_call(function.get(), &from, 1, &to, 1, e); }), "");
  EXPECT_EQ(out[2], 1000003);
  function.reset();
  EXPECT_EQ(first_of(end.get()), 2000001);
  EXPECT_EQ(error_of_c([&](char** e) { return hilo_run_wait(run, 0, e); }), "");
  EXPECT_EQ(error_of_c([&](char** e) { return hilo_run_wait(run, 1e300, e); }), "");
  EXPECT_EQ(hilo_run_has_ended(run), 1);
  EXPECT_EQ(first_of(middle.get()), 1000001);
}

TEST(CRun, KeepsTheThreadsOfItsFunction) {
  hilo_compile_options options = {};
  options.size = sizeof options;
  options.threads = 2;
  FunctionHandle function = function_of(program_of(kSlow).get(), &options);
  const double x[3] = {1, 2, 3};
  const BufferHandle a = vector_of(x);
  const hilo_buffer* argument = a.get();
  hilo_buffer* result = nullptr;
  ASSERT_EQ(error_of_c([&](char** e) { return hilo_start(function.get(), &argument, 1, &result, 1, nullptr, e); }), "");
  function.reset();
  const BufferHandle end(result);
  EXPECT_EQ(first_of(end.get()), 1000001);
}

TEST(CRun, ErrorsOfTheProgramAreThoseOfTheWait) {
  hilo_compile_options options = {};
  options.size = sizeof options;
  const char* flag = "hilo_run_seconds=1";
  options.flags = &flag;
  options.flag_count = 1;
  std::string endless(kSlow);
  endless.replace(endless.find("n = s32[] constant(1000000)"), 27, "n = s32[] constant(2147483647)");
  const FunctionHandle function = function_of(program_of(endless).get(), &options);
  const double x[3] = {1, 2, 3};
  const BufferHandle a = vector_of(x);
  const hilo_buffer* argument = a.get();
  hilo_buffer* result = nullptr;
  hilo_run* run = nullptr;
  ASSERT_EQ(error_of_c([&](char** e) { return hilo_start(function.get(), &argument, 1, &result, 1, &run, e); }), "");
  const RunHandle handle(run);
  const BufferHandle end(result);
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_run_wait(run, 1e-6, e); }), "4 DEADLINE_EXCEEDED");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_run_wait(run, 0, e); }), "4 DEADLINE_EXCEEDED");
  double out[3];
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_read(result, out, sizeof out, e); }), "DEADLINE_EXCEEDED");
}

TEST(CRun, WrongBuffersAreErrors) {
  const FunctionHandle function = function_of(program_of(kSquare).get());
  const double x[3] = {1, 2, 3};
  const BufferHandle a = vector_of(x);
  const BufferHandle scalar = made<BufferHandle>([&](hilo_buffer** buffer, char** error) {
    return hilo_buffer_copy(HILO_TYPE_F64, nullptr, 0, x, buffer, error);
  });
  hilo_buffer* results[2] = {};
  hilo_run* run = nullptr;
  const auto expect_error = [&](std::vector<const hilo_buffer*> arguments, const char* part) {
    EXPECT_HAS(error_of_c([&](char** e) {
                 return hilo_call_buffers(function.get(), arguments.data(), arguments.size(), results, 2, e);
               }),
               part);
    EXPECT_HAS(error_of_c([&](char** e) {
                 return hilo_start(function.get(), arguments.data(), arguments.size(), results, 2, &run, e);
               }),
               part);
    EXPECT_TRUE(results[0] == nullptr && results[1] == nullptr && run == nullptr);
  };
  expect_error({a.get()}, "got 1 arguments; wanted 2");
  expect_error({a.get(), nullptr}, "argument 1 is null");
  expect_error({a.get(), scalar.get()}, "INVALID_ARGUMENT");
  const hilo_buffer* arguments[] = {a.get(), a.get()};
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call_buffers(function.get(), nullptr, 2, results, 2, e); }),
             "arguments is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call_buffers(function.get(), arguments, 2, nullptr, 2, e); }),
             "results is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call_buffers(nullptr, arguments, 2, results, 2, e); }),
             "function is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_run_wait(nullptr, 0, e); }), "run is null");
  hilo_run* done = nullptr;
  ASSERT_EQ(hilo_start(function.get(), arguments, 2, results, 2, &done, nullptr), HILO_CODE_OK);
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_run_wait(done, -1, e); }), "got -1 seconds");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_run_wait(done, std::numeric_limits<double>::quiet_NaN(), e); }),
             "INVALID_ARGUMENT");
  EXPECT_EQ(hilo_run_has_ended(nullptr), 1);
  hilo_run_free(done);
  for (hilo_buffer* result : results) hilo_buffer_free(result);
}

}  // namespace
}  // namespace hilo::tests
