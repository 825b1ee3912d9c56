// SPDX-License-Identifier: Apache-2.0
// Golden values recorded from jax 0.10.2 by tests/golden/record_random.py.
#include "hilo/random/sampling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "hilo/base/caches.h"
#include "hilo/base/files.h"
#include "hilo/lax/special.h"
#include "hilo/random/random.h"
#include "hilo/trace/dispatch.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/error_of.h"
#include "tests/support/x64.h"

namespace hilo::random {
namespace {

const numpy::Shape kMillion = {1000000};

/// The sum of the bits of element i times 2i + 1.
template <typename T>
uint64_t checksum(const std::vector<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += uint64_t{std::bit_cast<Bits>(values[i])} * (2 * i + 1);
  return sum;
}

/// Calls f for each instruction set of this machine.
template <typename F>
void for_each_isa(F f) {
  cpu::on_every_isa([&](cpu::Isa isa) {
    SCOPED_TRACE(std::string(cpu::isa_name(isa)));
    clear_caches();
    f();
  });
}

TEST(Random, BitsAreThoseOfJax) {
  EXPECT_EQ(bits(key(42), {5}).to_vector<uint32_t>(),
            (std::vector<uint32_t>{2098992034, 2919706841, 2646866425, 2409546199, 1935504149}));
}

TEST(Random, AMillionBitsAreThoseOfJax) {
  EXPECT_EQ(checksum(bits(key(42), kMillion).to_vector<uint32_t>()), 0x72e3391360010df2);
}

TEST(Random, UniformFloatsAreThoseOfJaxBitForBit) {
  EXPECT_EQ(
      uniform(key(42), {4}).to_vector<float>(),
      (std::vector<float>{0x1.f470480000000p-2f, 0x1.5c0e600000000p-1f, 0x1.3b87f00000000p-1f, 0x1.1f3d800000000p-1f}));
}

struct Interval {
  float low, high;
  uint64_t checksum;
};
constexpr Interval kIntervals[] = {{0, 1, 0x1228dd44499a312c},
                                   {-1, 2, 0x2d8515b4f9c0d2ff},
                                   {-2, 3, 0x46ecc712b729a1e7},
                                   {0.1f, 0.7f, 0xcd7b7fc89c48fc9},
                                   {-1e30f, 3e-5f, 0xcdb4bd179718711d}};

TEST(Random, AMillionFloatsOfEveryIntervalAreThoseOfJaxOnEveryInstructionSet) {
  for_each_isa([] {
    for (const Interval& i : kIntervals)
      EXPECT_EQ(checksum(uniform(key(42), kMillion, i.low, i.high).to_vector<float>()), i.checksum) << i.low;
  });
}

TEST(Random, NormalFloatsAreThoseOfJaxBitForBit) {
  EXPECT_EQ(normal(key(42), {6}).to_vector<float>(),
            (std::vector<float>{-0x1.cfbe2ap-6f, 0x1.de57dp-2f, 0x1.2eccc2p-2f, 0x1.3a7648p-3f, -0x1.fc09d6p-4f,
                                0x1.bc4234p-3f}));
}

TEST(Random, AMillionNormalFloatsAreThoseOfJaxOnEveryInstructionSetInsideJitAndOutside) {
  const auto jitted = jit([](Array unused) { return normal(key(42), kMillion) + unused; });
  for_each_isa([&] {
    EXPECT_EQ(checksum(normal(key(42), kMillion).to_vector<float>()), 0x7f665ccb5c625ed4);
    EXPECT_EQ(checksum(normal(key(42), {1000, 1000}).to_vector<float>()), 0x7f665ccb5c625ed4);
    EXPECT_EQ(checksum(jitted(Array(0.0f)).to_vector<float>()), 0x7f665ccb5c625ed4);
  });
}

/// first / scale, ..., last / scale
Array grid(int first, int last, int scale, ElementType type) {
  std::vector<double> values;
  for (int i = first; i <= last; ++i) values.push_back(static_cast<double>(i) / scale);
  const std::vector<int64_t> dimensions = {static_cast<int64_t>(values.size())};
  const Array wide = Array::from_literal(Literal::array<double>(dimensions, std::span<const double>(values)));
  return ops::convert_element_type(wide, type);
}

// The function that normal() applies to uniform numbers, also for types that normal() doesn't support.
TEST(Random, ErfInvIsThatOfXlaBitForBit) {
  constexpr int kScale = 1 << 19;
  for_each_isa([&] {
    const auto of = [](const Array& x) { return lax::xla_erf_inv(x); };
    EXPECT_EQ(checksum(of(grid(1 - kScale, kScale - 1, kScale, ElementType::kF32)).to_vector<float>()),
              0xc34a7f886a242af2);
    EXPECT_EQ(checksum(of(grid(-255, 255, 256, ElementType::kF16)).to_vector<float16>()), 0x1565daf76);
    EXPECT_EQ(checksum(of(grid(-255, 255, 256, ElementType::kBf16)).to_vector<bfloat16>()), 0x1789c7f7a);
    // For larger arguments XLA calls the C library's logarithm.
    EXPECT_EQ(checksum(of(grid(-335544, 335544, kScale, ElementType::kF64)).to_vector<double>()), 0xb6f8ea3568eaac00);
  });
}

/// Writes values for tests/interop/random_values.py, if the environment requests it.
template <typename T>
void leave(const std::string& name, const std::vector<T>& values) {
  const char* const folder = std::getenv("HILO_RANDOM_FOLDER");
  if (folder == nullptr) return;
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  EXPECT_TRUE(write_file_atomic(std::string(folder) + "/" + name, bytes).ok());
}

TEST(Random, NumbersOfOtherKeysAreTheSameOnEveryInstructionSet) {
  for (const int64_t seed : {0, 1, -7, 123456789}) {
    std::vector<float> normals, uniforms;
    for_each_isa([&] {
      const std::vector<float> drawn = normal(key(seed), kMillion).to_vector<float>();
      const std::vector<float> spread = uniform(key(seed), kMillion, -3.5f, 0.3f).to_vector<float>();
      if (normals.empty()) normals = drawn, uniforms = spread;
      EXPECT_EQ(checksum(drawn), checksum(normals)) << seed;
      EXPECT_EQ(checksum(spread), checksum(uniforms)) << seed;
    });
    leave(fmt::format("normal.{}", seed), normals);
    leave(fmt::format("uniform.{}", seed), uniforms);
  }
  constexpr int kScale = 1 << 19;
  leave("erf_inv", lax::xla_erf_inv(grid(1 - kScale, kScale - 1, kScale, ElementType::kF64)).to_vector<double>());
}

TEST(Random, BitsOfEveryWidthAreThoseOfJax) {
  using enum ElementType;
  EXPECT_EQ(bits(key(42), {5}, kU8).to_vector<int>(), (std::vector<int>{162, 217, 249, 215, 21}));
  EXPECT_EQ(bits(key(42), {5}, kU16).to_vector<int>(), (std::vector<int>{5026, 12505, 63993, 49623, 29461}));
  const X64Scope x64;
  EXPECT_EQ(bits(key(42), {2}, kU32).to_vector<uint32_t>(), (std::vector<uint32_t>{2098992034, 2919706841}));
  EXPECT_EQ(bits(key(42), {2}).to_vector<uint64_t>(),
            (std::vector<uint64_t>{7871734211187709741u, 276886910877598708u}));
}

TEST(Random, UniformFloatsOfEveryTypeAreThoseOfJax) {
  using enum ElementType;
  EXPECT_EQ(uniform(key(42), {4}, kF16).to_vector<float>(),
            (std::vector<float>{0x1.38p-4f, 0x1.86p-3f, 0x1.f38p-1f, 0x1.838p-1f}));
  EXPECT_EQ(uniform(key(42), {4}, kBf16).to_vector<float>(),
            (std::vector<float>{0x1.44p-1f, 0x1.bp-1f, 0x1.fp-1f, 0x1.acp-1f}));
  EXPECT_EQ(uniform(key(42), {2}, kF16, 2.0f, 5.0f).to_vector<float>(), (std::vector<float>{0x1.1d4p+1f, 0x1.49p+1f}));
  const X64Scope x64;
  EXPECT_EQ(
      uniform(key(42), {4}).to_vector<double>(),
      (std::vector<double>{0x1.b4f8123c40884p-2, 0x1.ebd996d6e8400p-7, 0x1.25f641d41e71ap-1, 0x1.75aad28c6a974p-1}));
}

TEST(Random, NormalFloatsOfEveryTypeAreNearThoseOfJax) {
  using enum ElementType;
  const auto expect_near = [](const Array& got, const std::vector<double>& wanted, double relative) {
    const std::vector<double> values = got.to_vector<double>();
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], relative * std::abs(wanted[i])) << i;
  };
  expect_near(normal(key(42), {4}, kF16), {-0x1.6ep+0, -0x1.c04p-1, 0x1.f98p+0, 0x1.64cp-1}, 0x1p-9);
  expect_near(normal(key(42), {4}, kBf16), {0x1.6p-2, 0x1.04p+0, 0x1.e4p+0, 0x1.f8p-1}, 0x1p-6);
  const X64Scope x64;
  expect_near(normal(key(42), {4}),
              {-0x1.7a4a26c962159p-3, -0x1.15bccfaa7ba3ap+1, 0x1.7ed8110b50460p-3, 0x1.397ad84a04356p-1}, 1e-14);
}

TEST(Random, RefusesTypesThatItCannotDraw) {
  for (const ElementType type : {ElementType::kS32, ElementType::kC64}) {
    EXPECT_NE(
        error_of([&] { uniform(key(0), {2}, type); }, StatusCode::kInvalidArgument).find("uniform (sampling_test.cc:"),
        std::string::npos);
    EXPECT_NE(error_of([&] { bits(key(0), {2}, type); }, StatusCode::kInvalidArgument).find("bits (sampling_test.cc:"),
              std::string::npos);
  }
}

TEST(Random, RefusesNormalIntegers) {
  EXPECT_NE(error_of([] { normal(key(0), {2}, ElementType::kS32); }, StatusCode::kInvalidArgument)
                .find("normal (sampling_test.cc:"),
            std::string::npos);
}

TEST(Random, PermutesAsJax) {
  EXPECT_EQ(permutation(key(42), 10).to_vector<int>(), (std::vector<int>{7, 4, 2, 5, 3, 6, 8, 9, 0, 1}));
  const std::vector<int> two_rounds = permutation(key(42), 2000).to_vector<int>();
  EXPECT_EQ(std::vector<int>(two_rounds.begin(), two_rounds.begin() + 8),
            (std::vector<int>{1474, 815, 539, 874, 1693, 84, 995, 1191}));
}

}  // namespace
}  // namespace hilo::random
