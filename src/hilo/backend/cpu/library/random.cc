// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/random.cc -- rng-bit-generator by several threads; rng's state.
#include "hilo/hlo/ops/random.h"

#include <cstring>
#include <mutex>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/random.h"

namespace hilo::cpu {
namespace {

class RandomHero final : public Hero {
 public:
  explicit RandomHero(const runtime::RandomProblem& problem) : problem_(problem) {}

  Status run(void* const* buffers, const CallContext&) const override {
    constexpr int64_t kPart = 4096;  // counters
    const size_t state_bytes = static_cast<size_t>(problem_.state_words) * sizeof(uint64_t);
    runtime::RandomState state{};
    std::memcpy(state.words, buffers[0], state_bytes);
    const int64_t counters = problem_.counters(), parts = (counters + kPart - 1) / kPart;
    in_parts(counters, parts,
             [&](int64_t begin, int64_t end) { runtime::fill_random(problem_, state.words, buffers[2], begin, end); });
    const runtime::RandomState next = runtime::state_after(problem_, state);
    std::memcpy(buffers[1], next.words, state_bytes);
    return ok_status();
  }

  std::optional<RoutineCall> routine() const override {
    return RoutineCall{runtime::Routine::kRandom, ProblemWriter<runtime::RandomProblem>(problem_).finish()};
  }

 private:
  runtime::RandomProblem problem_;
};

/// Each executable has its own counter, with the same start.
class RngStateHero final : public Hero {
 public:
  explicit RngStateHero(int64_t delta) : delta_(delta), state_(hlo::first_rng_state()) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const std::lock_guard lock(mutex_);
    std::memcpy(buffers[0], state_.bytes().data(), state_.bytes().size());
    state_ = hlo::advanced_rng_state(state_, delta_);
    return ok_status();
  }

 private:
  int64_t delta_;
  mutable std::mutex mutex_;
  mutable Literal state_;
};

}  // namespace

std::unique_ptr<Hero> make_random_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape& bits = results[1];
  runtime::RandomProblem p;
  p.threefry =
      hlo::attributes_of<hlo::RngBitGeneratorAttributes>(instruction).algorithm == hlo::RandomAlgorithm::kThreeFry;
  p.state_words = operands[0].dimension(0);
  p.bytes = element_size_bytes(bits.element_type());
  p.count = bits.element_count();
  if (bits.rank() != 0) {
    const int64_t d = hlo::random_pair_dimension(bits.dimensions());
    p.extent = bits.dimension(d);
    for (int64_t k = d + 1; k < bits.rank(); ++k) p.inner *= bits.dimension(k);
    for (int64_t k = 0; k < d; ++k) p.outer *= bits.dimension(k);
  }
  return std::make_unique<RandomHero>(p);
}

std::unique_ptr<Hero> make_rng_state_hero(const HeroRequest& request) {
  return std::make_unique<RngStateHero>(hlo::attributes_of<hlo::RngStateAttributes>(request.problem.instruction).delta);
}

}  // namespace hilo::cpu
