// SPDX-License-Identifier: Apache-2.0
// The cells of decompositions depend on checks of the factors' properties. Each check detects a wrong element at every
// position.
#include "hilo/hlo/ir/extensions.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

class DecompositionNet : public testing::TestWithParam<Opcode> {};

/// The results with element `k` of one result increased by a quarter, or by one.
std::vector<Literal> moved(std::vector<Literal> results, size_t result, int64_t k) {
  Literal& literal = results[result];
  if (is_integer(literal.shape().element_type())) store_whole(literal, k, whole_at(literal, k) + 1);
  else store_wide(literal, k, wide_at(literal, k) + 0.25L);
  return results;
}

/// Whether the element repeats another result: LAPACK leaves T in the matrix of tridiagonal's reflectors.
bool stands_twice(const Sample& sample, size_t result, int64_t k) {
  if (sample.opcode != hlo::kExtTridiagonal || result != 0) return false;
  const int64_t n = sample.expected.elements()[0].shape().dimension(1), row = k / n % n, column = k % n;
  return row < column + 2;  // the first sample has the lower triangle
}

TEST_P(DecompositionNet, FindsAWrongElementWhereverItStands) {
  for (const ElementType type : {ElementType::kF32, ElementType::kC128}) {
    const Sample sample = samples_of(GetParam(), type, 4, Values::kSmooth)[0];
    const std::vector<Literal> right = evaluated(*built(sample), sample.operands);
    ASSERT_EQ(sample.check(right), "");
    for (size_t result = 0; result < right.size(); ++result) {
      for (int64_t k = 0; k < right[result].shape().element_count(); ++k) {
        if (stands_twice(sample, result, k)) continue;
        EXPECT_NE(sample.check(moved(right, result, k)), "")
            << element_type_name(type) << ", element " << k << " of result " << result;
      }
    }
  }
}

std::vector<Opcode> checked_opcodes() {
  std::vector<Opcode> all;
  for (int k = static_cast<int>(hlo::kExtLu); k <= static_cast<int>(hlo::kExtHessenberg); ++k)
    all.push_back(static_cast<Opcode>(k));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Checks, DecompositionNet, testing::ValuesIn(checked_opcodes()),
                         [](const testing::TestParamInfo<Opcode>& info) {
                           return std::string(hlo::opcode_name(info.param).substr(5));
                         });

}  // namespace
}  // namespace hilo::tests
