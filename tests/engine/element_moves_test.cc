// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/element_moves.h"

#include <numeric>

#include "hilo/hlo/eval/evaluator.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// Compares the source of each element with what the reference evaluator moves: operand k has the elements 1000 k + e.
void check_move(const std::string& move, const std::vector<std::string>& operands) {
  std::string text = "HloModule m\nENTRY e {\n";
  for (size_t k = 0; k < operands.size(); ++k) text += fmt::format("p{0} = {1} parameter({0})\n", k, operands[k]);
  const hlo::Module module = parsed(text + "ROOT r = " + move + "\n}\n");
  ASSERT_NE(module.entry, nullptr) << move;
  std::vector<Literal> arguments;
  std::vector<std::vector<int64_t>> extents;
  for (const Shape& shape : module.entry->parameter_shapes()) {
    Literal argument(shape);
    std::iota(argument.data<int32_t>().begin(), argument.data<int32_t>().end(), 1000 * std::ssize(arguments));
    extents.emplace_back(shape.dimensions().begin(), shape.dimensions().end());
    arguments.push_back(std::move(argument));
  }
  const StatusOr<Literal> moved = hlo::evaluate(module, arguments);
  ASSERT_TRUE(moved.ok()) << moved.status().to_string();
  const hlo::Instruction& root = module.entry->root();
  EXPECT_TRUE(is_fixed_move(root.opcode));
  for (int64_t e = 0; e < root.shape.element_count(); ++e) {
    const ElementSource source = source_of(root, extents, root.shape.dimensions(), e);
    EXPECT_EQ(static_cast<int64_t>(source.operand) * 1000 + source.element, moved->data<int32_t>()[e])
        << move << ", element " << e;
  }
}

TEST(ElementMoves, SourcesAreThoseOfTheEvaluator) {
  check_move("s32[6,4] reshape(p0)", {"s32[2,3,4]"});
  check_move("s32[4,2,3] transpose(p0), dimensions={2,0,1}", {"s32[2,3,4]"});
  check_move("s32[3,5,2] broadcast(p0), dimensions={2,0}", {"s32[2,3]"});
  check_move("s32[4] broadcast(p0), dimensions={}", {"s32[]"});
  check_move("s32[2,2] slice(p0), slice={[1:5:2], [0:6:3]}", {"s32[5,6]"});
  check_move("s32[3,4] reverse(p0), dimensions={0,1}", {"s32[3,4]"});
  check_move("s32[2,7] concatenate(p0, p1, p2), dimensions={1}", {"s32[2,3]", "s32[2,0]", "s32[2,4]"});
  check_move("s32[8,5] pad(p0, p1), padding=1_2_1x2_-1", {"s32[3,4]", "s32[]"});
  check_move("s32[7] pad(p0, p1), padding=-2_2_2", {"s32[3]", "s32[]"});
}

TEST(ElementMoves, IndicesAndElementsAreInverse) {
  const std::vector<int64_t> extents = {2, 3, 5};
  for (int64_t e = 0; e < 30; ++e) EXPECT_EQ(element_of(extents, indices_of(extents, e)), e);
  EXPECT_EQ(indices_of(extents, 22), (std::vector<int64_t>{1, 1, 2}));
}

}  // namespace
}  // namespace hilo::engine
