// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/join_all_reduces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/verify/verifier.h"
#include "tests/support/clients.h"
#include "tests/support/replicas.h"

namespace hilo::hlo {
namespace {

constexpr char kReducers[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
add64 { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] add(a, b) }
)";

Module module_of(const std::string& entry) {
  StatusOr<Module> module =
      parse_module("HloModule m, replica_count=2\n" + std::string(kReducers) + "ENTRY e {\n" + entry + "\n}");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return *std::move(module);
}

/// The number of arrays of each all-reduce of the entry, in order.
std::vector<size_t> arrays_of(const Module& module) {
  std::vector<size_t> counts;
  for (const Instruction& i : module.entry->instructions()) {
    if (i.opcode == Opcode::kAllReduce) counts.push_back(i.operands.size());
  }
  return counts;
}

std::vector<size_t> joined(Module module, bool changes = true) {
  const StatusOr<bool> changed = join_all_reduces(module);
  EXPECT_TRUE(changed.ok()) << changed.status().to_string();
  EXPECT_EQ(changed.ok() && *changed, changes);
  EXPECT_TRUE(verify(module).ok()) << verify(module).to_string();
  return arrays_of(module);
}

/// The last all-reduce depends on the first. One array has no elements.
constexpr char kFour[] = R"(
  x = f32[3] parameter(0)
  y = f32[2,2] parameter(1)
  a = f32[3] all-reduce(x), to_apply=add
  n = f32[2,2] negate(y)
  b = f32[2,2] all-reduce(n), to_apply=add
  none = f32[0] slice(x), slice={[0:0]}
  c = f32[0] all-reduce(none), to_apply=add
  twice = f32[3] add(a, a)
  d = f32[3] all-reduce(twice), to_apply=add
  ROOT t = (f32[2,2], f32[0], f32[3]) tuple(b, c, d)
)";

TEST(JoinAllReduces, ThoseThatNeedNothingOfEachOtherMeetOnce) {
  EXPECT_EQ(joined(module_of(kFour)), (std::vector<size_t>{3, 1}));
}

TEST(JoinAllReduces, AnOperandThatComesLaterIsMadeBefore) {
  EXPECT_EQ(joined(module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] all-reduce(x), to_apply=add
  late = f32[3] multiply(x, x)
  later = f32[3] negate(late)
  b = f32[3] all-reduce(later), to_apply=add
  ROOT s = f32[3] add(a, b)
)")),
            (std::vector<size_t>{2}));
}

TEST(JoinAllReduces, OthersStayApart) {
  EXPECT_EQ(joined(module_of(R"(
  x = f32[3] parameter(0)
  y = f64[3] parameter(1)
  a = f32[3] all-reduce(x), to_apply=add
  b = f32[3] all-reduce(x), to_apply=max
  c = f64[3] all-reduce(y), to_apply=add64
  d = f32[3] all-reduce(x), replica_groups={{0},{1}}, to_apply=add
  e = f32[3] all-reduce(x), channel_id=1, to_apply=add
  ROOT t = (f32[3], f32[3], f64[3], f32[3], f32[3]) tuple(a, b, c, d, e)
)"),
                   false),
            (std::vector<size_t>{1, 1, 1, 1, 1}));
}

TEST(JoinAllReduces, LargeOnesStayApart) {
  const int64_t half = kMaxJoinedBytes / 8;  // the number of elements that fill half of the limit
  const auto three = [](int64_t n) {
    return fmt::format(R"(
  x = f32[{0}] parameter(0)
  a = f32[{0}] all-reduce(x), to_apply=add
  n = f32[{0}] negate(x)
  b = f32[{0}] all-reduce(n), to_apply=add
  m = f32[{0}] abs(x)
  c = f32[{0}] all-reduce(m), to_apply=add
  ROOT t = (f32[{0}], f32[{0}], f32[{0}]) tuple(a, b, c)
)",
                       n);
  };
  EXPECT_EQ(joined(module_of(three(half))), (std::vector<size_t>{2, 1}));
  EXPECT_EQ(joined(module_of(three(half + 1)), false), (std::vector<size_t>{1, 1, 1}));
}

TEST(JoinAllReduces, ValuesStayAsTheyAre) {
  Module module = module_of(kFour);
  tests::OfReplicas arguments(2);
  for (size_t device = 0; device < 2; ++device) {
    Literal x(Shape::array(ElementType::kF32, {3})), y(Shape::array(ElementType::kF32, {2, 2}));
    for (int64_t i = 0; i < 3; ++i)
      x.data<float>()[static_cast<size_t>(i)] = 1.0F / static_cast<float>(i + 1 + static_cast<int64_t>(device));
    for (int64_t i = 0; i < 4; ++i)
      y.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i) - static_cast<float>(device) * 0.3F;
    arguments[device] = {x, y};
  }
  const auto run = [&](const Module& program) {
    std::vector<std::vector<float>> values;
    for (const std::vector<Literal>& of_device : tests::run_on_replicas(*tests::cpu_client(), program, arguments)) {
      for (const Literal& literal : of_device) {
        const auto data = literal.data<float>();
        values.emplace_back(data.begin(), data.end());
      }
    }
    return values;
  };
  const auto before = run(module);
  ASSERT_TRUE(join_all_reduces(module).ok());
  EXPECT_EQ(run(module), before);
  EXPECT_EQ(before.size(), 6u);
}

}  // namespace
}  // namespace hilo::hlo
