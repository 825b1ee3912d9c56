// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/heroes.h"

#include <fmt/format.h>

#include <cstring>

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/host/relayout.h"
#include "hilo/backend/run_collective.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/transfer.h"

namespace hilo::cpu {

using hlo::Opcode;

namespace {

class EvaluatorHero final : public Hero {
 public:
  EvaluatorHero(const hlo::Instruction& instruction, std::span<const Shape> operands, std::span<const Shape> results)
      : instruction_(instruction),
        operands_(operands.begin(), operands.end()),
        results_(results.begin(), results.end()) {}

  Status run(void* const* buffers, StepContext& context) const override {
    std::vector<Literal> values;
    std::vector<const Literal*> operands;
    for (size_t k = 0; k < operands_.size(); ++k) {
      HILO_ASSIGN_OR_RETURN(Literal value, Literal::make(operands_[k]));
      if (!value.bytes().empty()) std::memcpy(value.mutable_bytes().data(), buffers[k], value.bytes().size());
      values.push_back(std::move(value));
    }
    for (const Literal& value : values) operands.push_back(&value);
    hlo::EvaluateOptions options;
    options.cancel_word = context.stop_word;
    options.collective = collective_function(context.communicator, hlo::evaluate_called);
    const RunComputation call = [&](const hlo::Computation& computation, std::span<const Literal* const> arguments) {
      std::vector<Literal> copies;
      for (const Literal* a : arguments) copies.push_back(*a);
      return hlo::evaluate(computation, copies, options);
    };
    StatusOr<Literal> result = instruction_.def().evaluate({instruction_, operands, call});
    if (!result.ok()) return result.status().with_context(describe(instruction_));
    const std::span<const Literal> flat =
        result->is_tuple() ? result->elements() : std::span<const Literal>(&*result, 1);
    for (size_t k = 0; k < results_.size(); ++k) {
      if (!flat[k].bytes().empty())
        std::memcpy(buffers[operands_.size() + k], flat[k].bytes().data(), flat[k].bytes().size());
    }
    return ok_status();
  }

 private:
  const hlo::Instruction& instruction_;
  std::vector<Shape> operands_, results_;
};

class ScalarLoopHero final : public Hero {
 public:
  ScalarLoopHero(ScalarProgram program, size_t leaves) : program_(std::move(program)), leaves_(leaves) {}

  Status run(void* const* buffers, StepContext& context) const override {
    static const uint32_t never = 0;
    const uint32_t* word = context.stop_word != nullptr ? reinterpret_cast<const uint32_t*>(context.stop_word) : &never;
    if (program_.function(buffers, buffers + leaves_, word) != 0) return stop_status(context.stop_word, " in a loop");
    return ok_status();
  }

 private:
  ScalarProgram program_;
  size_t leaves_;
};

class RelayoutHero final : public Hero {
 public:
  RelayoutHero(const Shape& shape, bool to_row_major) : shape_(shape), to_row_major_(to_row_major) {}

  Status run(void* const* buffers, StepContext&) const override {
    const auto* from = static_cast<const std::byte*>(buffers[0]);
    auto* to = static_cast<std::byte*>(buffers[1]);
    if (to_row_major_) copy_to_row_major(shape_, from, to);
    else copy_from_strides(shape_, from, row_major_strides(shape_.dimensions()), to);
    return ok_status();
  }

 private:
  Shape shape_;
  bool to_row_major_;
};

}  // namespace

std::unique_ptr<Hero> make_evaluator_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                          std::span<const Shape> results) {
  return std::make_unique<EvaluatorHero>(instruction, operands, results);
}

StatusOr<std::unique_ptr<Hero>> make_scalar_loop_hero(const hlo::Computation& condition, const hlo::Computation& body,
                                                      Isa isa) {
  HILO_ASSIGN_OR_RETURN(ScalarProgram program, compile_scalar_loop(condition, body, isa));
  const Shape shape = body.result_shape();
  return std::unique_ptr<Hero>(
      std::make_unique<ScalarLoopHero>(std::move(program), shape.is_tuple() ? shape.leaves().size() : 1));
}

std::unique_ptr<Hero> make_relayout_hero(const Shape& shape, bool to_row_major) {
  return std::make_unique<RelayoutHero>(shape, to_row_major);
}

StatusOr<std::unique_ptr<Hero>> make_hero(const hlo::Instruction& i, std::span<const Shape> operands,
                                          std::span<const Shape> results, Isa isa) {
  if (hlo::is_not_yet(i.opcode) || hlo::is_transfer(i.opcode)) {
    return unimplemented(fmt::format("{} is not implemented on platform Host in this version", describe(i)));
  }
  std::unique_ptr<Hero> hero = make_collective_hero(i, operands, results);
  if (hero == nullptr) hero = make_top_k_hero(i, operands);
  if (hero == nullptr) hero = make_move_hero(i, operands, results);
  if (i.opcode == Opcode::kRngGetAndUpdateState) hero = make_rng_state_hero(i);
  if (i.opcode == Opcode::kDot) hero = make_dot_hero(i, operands, results[0]);
  if (i.opcode == Opcode::kConvolution) hero = make_convolution_hero(i, operands, results[0], isa);
  if (i.opcode == Opcode::kScatter) {
    HILO_ASSIGN_OR_RETURN(hero, make_scatter_hero(i, operands, isa));
  }
  if (i.opcode == Opcode::kCholesky) hero = make_cholesky_hero(i, operands);
  if (i.opcode == Opcode::kTriangularSolve) hero = make_triangular_solve_hero(i, operands);
  if (i.opcode == Opcode::kCustomCall) {
    HILO_ASSIGN_OR_RETURN(hero, make_custom_call_hero(i, operands));
  }
  if (i.opcode == Opcode::kFft) hero = make_fft_hero(i, operands, isa);
  if (i.opcode == Opcode::kRngBitGenerator) hero = make_random_hero(i, operands, results);
  if (i.opcode == Opcode::kSort) {
    HILO_ASSIGN_OR_RETURN(hero, make_sort_hero(i, operands, isa));
  }
  if (i.opcode == Opcode::kReduceWindow) {
    HILO_ASSIGN_OR_RETURN(hero, make_reduce_window_hero(i, operands, results, isa));
  }
  if (i.opcode == Opcode::kSelectAndScatter) hero = make_select_and_scatter_hero(i, operands);
  if (hero == nullptr) hero = make_evaluator_hero(i, operands, results);
  return hero;
}

}  // namespace hilo::cpu
