// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/collective.cc -- runs collectives and replica-id for this replica, on the program's memory.
#include "hilo/hlo/ops/collective.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/run_collective.h"
#include "hilo/hlo/eval/evaluator.h"

namespace hilo::cpu {
namespace {

class CollectiveHero final : public Hero {
 public:
  CollectiveHero(const hlo::Instruction& instruction, std::span<const Shape> operands, std::span<const Shape> results)
      : instruction_(instruction),
        operands_(operands.begin(), operands.end()),
        results_(results.begin(), results.end()) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    static const RunComputation reducer = hlo::evaluate_called;
    const Status status = run_collective({instruction_, operands_, results_, buffers}, context.communicator, reducer);
    return status.ok() ? status : status.with_context(describe(instruction_));
  }

 private:
  const hlo::Instruction& instruction_;  // owned by the plan
  std::vector<Shape> operands_, results_;
};

}  // namespace

std::unique_ptr<Hero> make_collective_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  return std::make_unique<CollectiveHero>(instruction, operands, results);
}

}  // namespace hilo::cpu
