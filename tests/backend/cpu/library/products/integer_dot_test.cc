// SPDX-License-Identifier: Apache-2.0
// Integer dots on the engine equal the reference bit for bit.
#include <fmt/format.h>

#include "hilo/types/twins.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/number.h"

namespace hilo::cpu {
namespace {

/// Pseudorandom elements in the type's full range.
Literal mixed(const Shape& shape, uint64_t seed) {
  Literal literal(shape);
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        if constexpr (is_integral_element<T>) {
          uint64_t state = seed;
          for (T& x : literal.data<T>()) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x = static_cast<T>(static_cast<uint8_t>(state >> 56));
            if constexpr (sizeof(T) > 1) x = static_cast<T>(state >> 11);
          }
        }
      },
      [] {});
  return literal;
}

void check(const std::string& lhs, const std::string& rhs, const std::string& out, const std::string& dimensions) {
  const std::string text = fmt::format(
      "HloModule product\n\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n  ROOT d = {} dot(x, y), "
      "{}\n}}\n",
      lhs, rhs, out, dimensions);
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  const std::vector<Shape> shapes = module->entry->parameter_shapes();
  const std::vector<Literal> arguments = {mixed(shapes[0], 1), mixed(shapes[1], 2)};
  const StatusOr<Literal> wanted = hlo::evaluate(*module, arguments);
  ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    EXPECT_EQ((*executable)->statistics().evaluated_count, 0) << text;
    EXPECT_EQ(tests::difference(run(**executable, arguments)[0], *wanted, 0), "") << isa_name(isa) << " of " << text;
  });
}

constexpr const char* kPlain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";

TEST(IntegerDot, OfAllTypesIsTheReferences) {
  for (const char* type : {"s2", "s4", "s8", "s16", "s32", "s64", "u2", "u4", "u8", "u16", "u32", "u64"}) {
    const std::string t = type;
    check(t + "[60,41]", t + "[41,70]", t + "[60,70]", kPlain);
  }
}

TEST(IntegerDot, OfNarrowTypesInWideSums) {
  for (const char* type : {"s4", "s8", "u8", "s16", "u16"}) {
    const std::string t = type;
    check(t + "[60,41]", t + "[41,70]", "s32[60,70]", kPlain);
    check(t + "[60,41]", t + "[41,70]", "u32[60,70]", kPlain);
    check(t + "[60,41]", t + "[41,70]", "s64[60,70]", kPlain);
  }
  check("s8[60,41]", "s16[41,70]", "s32[60,70]", kPlain);
}

TEST(IntegerDot, OfAnyOrderOfDimensions) {
  check("s8[41,60]", "s8[70,41]", "s32[60,70]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}");
  check("s8[9,41,60]", "s8[9,70,41]", "s32[9,60,70]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={2}");
  check("u8[41,3,60]", "u8[41,70,3]", "s32[3,60,70]",
        "lhs_batch_dims={1}, rhs_batch_dims={2}, lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  // Both the rows and the contraction have two dimensions that can't be merged.
  check("s8[7,30,5,12]", "s8[30,12,65]", "s32[7,5,65]", "lhs_contracting_dims={1,3}, rhs_contracting_dims={0,1}");
  check("s16[7,30,5,12]", "s16[30,12,65]", "s32[7,5,65]", "lhs_contracting_dims={1,3}, rhs_contracting_dims={0,1}");
}

TEST(IntegerDot, OfManyRowsAndColumnsOnAllThreads) {
  check("s8[700,257]", "s8[257,130]", "s32[700,130]", kPlain);
  check("u8[130,257]", "u8[257,700]", "s32[130,700]", kPlain);
}

}  // namespace
}  // namespace hilo::cpu
