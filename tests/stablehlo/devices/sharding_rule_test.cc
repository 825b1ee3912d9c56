// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/sharding_rule.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

std::string read(std::string_view text) {
  const StatusOr<hlo::ShardingRule> rule = parse_sharding_rule(text);
  return rule.ok() ? hlo::to_string(*rule) : rule.status().to_string();
}

Shape f32(std::vector<int64_t> sizes) { return Shape::array(ElementType::kF32, std::move(sizes)); }

TEST(ShardingRule, IsReadAsItIsWritten) {
  const std::string product = "([i,j],[j,k])->([i,k]) {i=8, j=32, k=16} reduction={j}";
  EXPECT_EQ(read("#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=32, k=16} reduction={j}, custom>"), product);
  EXPECT_EQ(read("<([i,j],[j,k])->([i,k]) {i=8,j=32,k=16} reduction={j}>"), product);
  const StatusOr<hlo::ShardingRule> all = parse_sharding_rule(
      "<([i, {}], [z_1, iz_1])->([]) {i=2, z_1=3} need_replication={i} permutation={z_1} blocked_propagation={i, "
      "z_1}>");
  ASSERT_TRUE(all.ok()) << all.status().to_string();
  EXPECT_EQ(all->operands, (std::vector<hlo::ArrayFactors>{{{0}, {}}, {{1}, {0, 1}}}));
  EXPECT_EQ(all->results, std::vector<hlo::ArrayFactors>{{}});
  EXPECT_EQ(all->factors[0].kind, hlo::FactorKind::kReplicate);
  EXPECT_EQ(all->factors[1].kind, hlo::FactorKind::kPermute);
  EXPECT_TRUE(all->factors[0].blocked && all->factors[1].blocked);
  EXPECT_EQ(all->factors[1].size, 3);
}

TEST(ShardingRule, OfNothingIsOne) {
  const StatusOr<hlo::ShardingRule> none = parse_sharding_rule("<()->()>");
  ASSERT_TRUE(none.ok()) << none.status().to_string();
  EXPECT_TRUE(none->factors.empty() && none->operands.empty() && none->results.empty());
}

TEST(ShardingRule, OtherTextIsRefused) {
  for (const std::string_view text :
       {"", "<", "<([i])>", "<([i])->([i])>", "<([i])->([i]) {i=-1}>", "<([i])->([i]) {i=2, i=3}>",
        "<([i])->([i]) {ij=2}>", "<([i])->([i]) {i=2} sum={i}>", "<([i])->([i]) {i=2} reduction={k}>",
        "<([i])->([i]) {i=2}, own>", "<([3])->([i]) {i=2}>", "<([i)->([i]) {i=2}>", "<([i])->([i]) {i=2}"}) {
    const StatusOr<hlo::ShardingRule> rule = parse_sharding_rule(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_EQ(rule.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(ShardingRule, FitsArraysOfItsSizes) {
  const hlo::ShardingRule rule = *parse_sharding_rule("<([ik, j], [i])->([j]) {i=2, j=0, k=3}>");
  EXPECT_TRUE(check_sharding_rule(rule, {f32({6, 0}), f32({2})}, {f32({0})}).ok());
  EXPECT_TRUE(check_sharding_rule(rule, {f32({12, 0}), f32({2})}, {f32({0})}).ok());
  for (const auto& [operands, results] :
       std::vector<std::pair<std::vector<Shape>, std::vector<Shape>>>{{{f32({6, 0})}, {f32({0})}},
                                                                      {{f32({6, 0}), f32({2})}, {}},
                                                                      {{f32({4, 0}), f32({2})}, {f32({0})}},
                                                                      {{f32({6, 1}), f32({2})}, {f32({0})}},
                                                                      {{f32({6}), f32({2})}, {f32({0})}},
                                                                      {{f32({6, 0}), Shape::token()}, {f32({0})}}})
    EXPECT_EQ(check_sharding_rule(rule, operands, results).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::stablehlo
