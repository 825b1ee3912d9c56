// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cuda/host_copies.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "tests/paths.h"

namespace hilo::cuda {
namespace {

/// The address of this memory on the fake driver's device.
void* on_device(void* pointer) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(pointer) | uintptr_t{1} << 62);
}

constexpr std::array<int64_t, 1> kThree = {3};
constexpr std::array<int64_t, 2> kNone = {0, 5};

CustomCallBuffer floats(float* numbers) { return {ElementType::kF32, kThree, on_device(numbers)}; }

class HostCopies : public testing::Test {
 protected:
  Status call(std::span<const CustomCallBuffer> operands, std::span<const CustomCallBuffer> results,
              const CustomCallHandler& handler) {
    const auto functions = stream_functions((std::string(tests::kBinDir) + "/tests/libfake_driver.so").c_str());
    HILO_RETURN_IF_ERROR(functions.status());
    CustomCallFrame frame;
    frame.operands = operands;
    frame.results = results;
    return call_on_copies(handler, frame, *functions, nullptr);
  }
};

Status add(const CustomCallFrame& frame) {
  const auto* const a = static_cast<const float*>(frame.operands[0].data);
  const auto* const b = static_cast<const float*>(frame.operands[1].data);
  for (int i = 0; i < 3; ++i) static_cast<float*>(frame.results[0].data)[i] = a[i] + b[i];
  return ok_status();
}

TEST_F(HostCopies, GoThereAndBack) {
  float a[] = {1, 2, 3}, b[] = {10, 20, 30}, sum[] = {0, 0, 0};
  const CustomCallBuffer operands[] = {floats(a), floats(b)}, results[] = {floats(sum)};
  ASSERT_TRUE(call(operands, results, add).ok());
  EXPECT_EQ(std::vector<float>(sum, sum + 3), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(a[0], 1);
}

TEST_F(HostCopies, AreOneWhereAResultIsAnOperandsMemory) {
  float a[] = {1, 2, 3}, b[] = {10, 20, 30};
  const CustomCallBuffer operands[] = {floats(a), floats(b)}, results[] = {floats(a)};
  ASSERT_TRUE(call(operands, results, [](const CustomCallFrame& frame) {
                EXPECT_EQ(frame.operands[0].data, frame.results[0].data);
                return add(frame);
              }).ok());
  EXPECT_EQ(std::vector<float>(a, a + 3), (std::vector<float>{11, 22, 33}));
}

TEST_F(HostCopies, OfNothingAreNotMade) {
  float other[] = {7};
  const CustomCallBuffer operands[] = {{ElementType::kToken, {}, nullptr},
                                       {ElementType::kF32, kNone, on_device(other)}};
  const CustomCallBuffer results[] = {{ElementType::kF32, kNone, on_device(other)}, {ElementType::kToken, {}, nullptr}};
  int calls = 0;
  ASSERT_TRUE(call(operands, results, [&](const CustomCallFrame& frame) {
                EXPECT_EQ(frame.operands[0].data, nullptr);
                ++calls;
                return ok_status();
              }).ok());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(other[0], 7);
}

TEST_F(HostCopies, ErrorsAreTheHandlersAndTheDrivers) {
  float a[] = {1, 2, 3}, result[] = {5, 6, 7};
  const CustomCallBuffer operands[] = {floats(a)}, results[] = {floats(result)};
  EXPECT_EQ(call(operands, results, [](const CustomCallFrame&) { return out_of_range("as planned"); }).code(),
            StatusCode::kOutOfRange);
  EXPECT_EQ(result[0], 5);
  ::setenv("STUB_COPY", "700", 1);
  const Status status = call(operands, results, [](const CustomCallFrame&) { return ok_status(); });
  ::unsetenv("STUB_COPY");
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("cuMemcpyAsync returned 700"), std::string_view::npos) << status.to_string();
  ASSERT_TRUE(call(operands, results, [](const CustomCallFrame&) { return ok_status(); }).ok());
}

}  // namespace
}  // namespace hilo::cuda
