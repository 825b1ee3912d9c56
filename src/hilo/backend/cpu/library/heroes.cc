// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/heroes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "hilo/backend/cpu/abi/register_loop.h"
#include "hilo/backend/cpu/library/object_routines.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/host/relayout.h"
#include "hilo/backend/run_collective.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/collective.h"
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

  Status run(void* const* buffers, const CallContext& context) const override {
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

class RegisterLoopHero final : public Hero {
 public:
  RegisterLoopHero(RegisterLoopFunction function, const LibraryCall& call)
      : function_(function), carries_(call.operands.size()), batch_(call.batch) {}

  /// The number of turns isn't known in advance. The time of the first indices of a batch decides whether to use
  /// several threads.
  Status run(void* const* buffers, const CallContext& context) const override {
    const uint32_t* const word = polled_word(context.stop_word);
    std::atomic<bool> stopped = false;
    const auto run_part = [&](int64_t begin, int64_t end) {
      if (function_(buffers, buffers + carries_, word, begin, end) != 0) stopped = true;
    };
    const auto began = std::chrono::steady_clock::now();
    const int64_t first = std::min(batch_, kFirst), left = batch_ - first;
    run_part(0, first);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    const bool worth = worth_forking(took.count() * static_cast<double>(left) / static_cast<double>(2 * first));
    const int64_t parts = worth ? std::min(parts_for_threads(left), std::max<int64_t>(left / kFirst, 1)) : 1;
    const int64_t pieces = (left + kIndicesOfThread - 1) / kIndicesOfThread;
    if (left > 0 && !stopped) {
      in_parts(pieces, std::min(parts, pieces), [&](int64_t begin, int64_t end) {
        run_part(first + begin * kIndicesOfThread, std::min(first + end * kIndicesOfThread, batch_));
      });
    }
    return stopped ? stop_status(context.stop_word, " in a loop") : ok_status();
  }

 private:
  static constexpr int64_t kFirst = 2 * kIndicesOfThread;  // indices of the batch

  RegisterLoopFunction function_;
  size_t carries_;
  int64_t batch_;
};

class StraightLineHero final : public Hero {
 public:
  StraightLineHero(StraightLineFunction function, const LibraryCall& call)
      : function_(function), batch_(call.batch), guard_(call.has_guard ? leaves(call) - 1 : kNoGuard) {}

  /// The first piece decides whether to use several threads. Each piece computes the values that all indices share.
  Status run(void* const* buffers, const CallContext&) const override {
    if (guard_ != kNoGuard) *static_cast<bool*>(buffers[guard_]) = true;
    if (batch_ < 2 * kPiece) {
      function_(buffers, 0, batch_);
      return ok_status();
    }
    const auto began = std::chrono::steady_clock::now();
    function_(buffers, 0, kPiece);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    const int64_t left = batch_ - kPiece, pieces = left / kPiece;
    const bool worth = worth_forking(took.count() * static_cast<double>(pieces) / 2);
    each_in_parts(pieces, worth ? parts_for_threads(pieces) : 1,
                  [&](int64_t p) { function_(buffers, kPiece + left * p / pieces, kPiece + left * (p + 1) / pieces); });
    return ok_status();
  }

 private:
  static constexpr int64_t kPiece = 256;  // indices of the batch: at least a vector's lanes
  static constexpr size_t kNoGuard = ~size_t{0};
  static size_t leaves(const LibraryCall& call) { return call.operands.size() + call.results.size(); }

  StraightLineFunction function_;
  int64_t batch_;
  size_t guard_;  ///< its buffer
};

class RelayoutHero final : public Hero {
 public:
  RelayoutHero(const Shape& shape, bool to_row_major) : shape_(shape), to_row_major_(to_row_major) {}

  Status run(void* const* buffers, const CallContext&) const override {
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

using HeroResult = StatusOr<std::unique_ptr<Hero>>;

/// Wraps a function that can't fail in the signature of one that can.
template <std::unique_ptr<Hero> (*make)(const HeroRequest&)>
HeroResult always(const HeroRequest& request) {
  return make(request);
}

bool meets_replicas(Opcode opcode) {
  return hlo::is_collective(opcode) || opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
}

template <Opcode one>
bool is(Opcode opcode) {
  return opcode == one;
}

struct LibraryFunction {
  bool (*serves)(Opcode);
  std::string_view symbol;
  HeroResult (*make)(const HeroRequest& request);
  /// Null: what an object calls is what the hero calls.
  std::optional<RoutineCall> (*routine)(const RoutineRequest& request) = nullptr;
};

constexpr auto kLibrary = std::to_array<LibraryFunction>({
    {meets_replicas, "collective", always<make_collective_hero>},
    {is<Opcode::kBitcastConvert>, "bitcast-convert", always<make_bitcast_convert_hero>},
    {is<Opcode::kCholesky>, "cholesky", always<make_cholesky_hero>, cholesky_routine},
    {is<Opcode::kConcatenate>, "concatenate", always<make_concatenate_hero>},
    {is<Opcode::kConvolution>, "convolution", always<make_convolution_hero>, convolution_routine},
    {is<Opcode::kCustomCall>, "custom-call", make_custom_call_hero, custom_call_routine},
    {is<Opcode::kDot>, "dot", always<make_dot_hero>, dot_routine},
    {is<Opcode::kFft>, "fft", make_fft_hero, fft_routine},
    {is<Opcode::kPad>, "pad", always<make_pad_hero>},
    {is<Opcode::kReduce>, "reduce", make_reduce_hero},
    {is<Opcode::kReduceWindow>, "reduce-window", make_reduce_window_hero},
    {is<Opcode::kRngBitGenerator>, "rng-bit-generator", always<make_random_hero>},
    {is<Opcode::kRngGetAndUpdateState>, "rng-get-and-update-state", always<make_rng_state_hero>},
    {is<Opcode::kScatter>, "scatter", make_scatter_hero},
    {is<Opcode::kSelectAndScatter>, "select-and-scatter", make_select_and_scatter_hero},
    {is<Opcode::kSort>, "sort", make_sort_hero},
    {is<Opcode::kTopK>, "topk", always<make_top_k_hero>},
    {is<Opcode::kTriangularSolve>, "triangular-solve", always<make_triangular_solve_hero>, triangular_solve_routine},
});

const LibraryFunction* function_of(Opcode opcode) {
  const auto* row = std::ranges::find_if(kLibrary, [&](const LibraryFunction& f) { return f.serves(opcode); });
  return row == kLibrary.end() ? nullptr : row;
}

/// The code of a call, in the order of its compilation.
class LoadedCode final : public InnerCode {
 public:
  explicit LoadedCode(std::span<void* const> code) : code_(code) {}

  StatusOr<ScalarFunction> scalar_program(const hlo::Computation&) override { return next<ScalarFunction>(); }
  StatusOr<ScatterFunction> scatter_kernel(const ScatterKernelSpec&) override { return next<ScatterFunction>(); }

 private:
  template <typename Function>
  StatusOr<Function> next() {
    if (code_.empty()) return failed_precondition("loading a plan: a library call lacks code");
    const auto function = reinterpret_cast<Function>(code_.front());
    code_ = code_.subspan(1);
    return function;
  }

  std::span<void* const> code_;
};

std::unique_ptr<Hero> make_evaluator_hero(const LibraryProblem& problem) {
  return std::make_unique<EvaluatorHero>(problem.instruction, problem.operands, problem.results);
}

}  // namespace

StatusOr<ChosenHero> choose_hero(const HeroRequest& request) {
  const hlo::Instruction& i = request.problem.instruction;
  if (hlo::is_not_yet(i.opcode) || hlo::is_transfer(i.opcode))
    return unimplemented(fmt::format("{} is not implemented on platform Host in this version", describe(i)));
  if (const LibraryFunction* function = function_of(i.opcode)) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Hero> hero, function->make(request));
    if (hero != nullptr) return ChosenHero{function->symbol, std::move(hero)};
  }
  return ChosenHero{kEvaluate, make_evaluator_hero(request.problem)};
}

StatusOr<std::unique_ptr<Hero>> bind_hero(const LibraryCall& call, Isa isa, std::span<void* const> code) {
  std::unique_ptr<Hero> hero;
  if (call.symbol == engine::kRegisterLoop) {
    if (code.size() == 1)
      hero = std::make_unique<RegisterLoopHero>(reinterpret_cast<RegisterLoopFunction>(code[0]), call);
  } else if (call.symbol == engine::kStraightLine) {
    if (code.size() == 1)
      hero = std::make_unique<StraightLineHero>(reinterpret_cast<StraightLineFunction>(code[0]), call);
  } else if (call.symbol == engine::kToRowMajor) {
    hero = std::make_unique<RelayoutHero>(call.operands[0], true);
  } else if (call.symbol == engine::kFromRowMajor) {
    hero = std::make_unique<RelayoutHero>(call.results[0], false);
  } else if (call.call != nullptr) {
    const LibraryProblem problem{call.call->root(), call.operands, call.results};
    const LibraryFunction* function = function_of(problem.instruction.opcode);
    if (call.symbol == kEvaluate) {
      hero = make_evaluator_hero(problem);
    } else if (function != nullptr && function->symbol == call.symbol) {
      LoadedCode loaded(code);
      HILO_ASSIGN_OR_RETURN(hero, function->make({problem, library_isa(isa), loaded, call.views}));
    }
  }
  if (hero != nullptr) return hero;
  return failed_precondition(
      fmt::format("loading a plan: the library has no function '{}' for {}", call.symbol,
                  call.call == nullptr ? "a call without an instruction" : describe(call.call->root())));
}

StatusOr<std::optional<RoutineCall>> routine_of(const LibraryCall& call, Isa isa) {
  if (call.call == nullptr) return std::optional<RoutineCall>();  // a loop, a straight line, a copy between layouts
  const LibraryFunction* const function = function_of(call.call->root().opcode);
  if (function != nullptr && function->routine != nullptr)
    return function->routine({{call.call->root(), call.operands, call.results}, library_isa(isa), call.views});
  // The object refers to the code of a call by name. Heroes only store the addresses.
  std::vector<void*> code(call.code.size(), reinterpret_cast<void*>(&routine_of));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Hero> hero, bind_hero(call, isa, code));
  return hero->routine();
}

StatusOr<std::unique_ptr<Hero>> bind_routine(const LibraryCall& call, Isa isa, std::span<void* const> code) {
  HILO_ASSIGN_OR_RETURN(std::optional<RoutineCall> routine, routine_of(call, isa));
  if (!routine) return bind_hero(call, isa, code);
  const int64_t units = routine->units;
  return make_routine_hero(*std::move(routine), {code.begin(), code.end()}, {.units = units});
}

}  // namespace hilo::cpu
