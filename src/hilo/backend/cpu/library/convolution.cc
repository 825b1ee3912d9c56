// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution.cc -- the convolution op: which way each of its problems is run.
#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/library/convolution_step.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

constexpr double kWorthForking = 1 << 18;  // multiplications: some 5 us

/// Sums of nothing.
class ZeroStep final : public ConvolutionStep {
 public:
  explicit ZeroStep(size_t bytes) : bytes_(bytes) {}
  Status run(const ConvolutionBuffers& buffers) const override {
    std::memset(buffers.out, 0, bytes_);
    return ok_status();
  }

 private:
  size_t bytes_;
};

bool is_empty(const ConvolutionProblem& p) { return p.taps() == 0 || p.inputs.extent == 0; }

/// Whether a step that lists where its terms are would list more than a table should hold: all terms, or runs of them.
bool lists_too_much(const ConvolutionProblem& p, bool each_term) {
  constexpr double kMostListed = 1 << 22;
  constexpr double kTermsOfRun = 64;
  const auto inputs = static_cast<double>(p.inputs.extent);
  double taps = 1;
  for (const ConvolutionDimension& d : p.dims) taps *= static_cast<double>(d.taps);
  return std::max(taps, taps * inputs / (each_term ? 1 : kTermsOfRun)) > kMostListed;
}

/// Null if no step takes the problem.
template <typename T>
std::unique_ptr<ConvolutionStep> make_step(const ConvolutionProblem& p, const ConvolutionTypes& types,
                                           const TileKernels<T>& kernels) {
  const bool by_channel = is_by_channel(p, kernels.lanes);
  if (!by_channel) {
    if (std::unique_ptr<ConvolutionStep> step = make_product_step<T>(p, types)) return step;
  }
  if (p.taps() > p.positions()) return make_gradient_step<T>(p, types, kernels);
  if (!by_channel && !lists_too_much(p, true)) {
    if (std::unique_ptr<ConvolutionStep> step = make_narrow_step<T>(p, types, kernels)) return step;
  }
  if (lists_too_much(p, by_channel)) return nullptr;
  return make_forward_step<T>(p, types, kernels);
}

/// The steps of one convolution of real numbers.
struct Plan {
  std::vector<std::unique_ptr<ConvolutionStep>> steps;
  bool forks = false;

  Status run(const void* lhs, const void* rhs, void* out) const {
    const ConvolutionBuffers buffers{lhs, rhs, out, forks ? &default_pool() : nullptr};
    for (const std::unique_ptr<ConvolutionStep>& step : steps) HILO_RETURN_IF_ERROR(step->run(buffers));
    return ok_status();
  }
};

class ConvolutionHero final : public Hero {
 public:
  explicit ConvolutionHero(Plan plan) : plan_(std::move(plan)) {}
  Status run(void* const* buffers, const CallContext&) const override {
    return plan_.run(buffers[0], buffers[1], buffers[2]);
  }

 private:
  Plan plan_;
};

/// Complex numbers: four convolutions of the parts.
template <typename T>
class ComplexConvolutionHero final : public Hero {
 public:
  ComplexConvolutionHero(Plan plan, int64_t lhs, int64_t rhs, int64_t out)
      : plan_(std::move(plan)), lhs_(lhs), rhs_(rhs), out_(out) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const int64_t count = 2 * (lhs_ + rhs_) + 4 * out_;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(static_cast<size_t>(count) * sizeof(T)));
    T* const lhs[2] = {reinterpret_cast<T*>(memory.data()), reinterpret_cast<T*>(memory.data()) + lhs_};
    T* const rhs[2] = {lhs[1] + lhs_, lhs[1] + lhs_ + rhs_};
    T* const out = rhs[1] + rhs_;
    split(static_cast<const T*>(buffers[0]), lhs, lhs_);
    split(static_cast<const T*>(buffers[1]), rhs, rhs_);
    for (int k = 0; k < 4; ++k) HILO_RETURN_IF_ERROR(plan_.run(lhs[k / 2], rhs[k % 2], out + k * out_));
    T* to = static_cast<T*>(buffers[2]);
    for (int64_t i = 0; i < out_; ++i) {
      to[2 * i] = out[i] - out[3 * out_ + i];
      to[2 * i + 1] = out[out_ + i] + out[2 * out_ + i];
    }
    return ok_status();
  }

 private:
  static void split(const T* from, T* const parts[2], int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      parts[0][i] = from[2 * i];
      parts[1][i] = from[2 * i + 1];
    }
  }

  Plan plan_;
  int64_t lhs_, rhs_, out_;
};

bool is_computed(ElementType t) {
  return t == ElementType::kF16 || t == ElementType::kBf16 || t == ElementType::kF32 || t == ElementType::kF64;
}

const ConvolutionKernels& kernels_of(Isa isa) {
  switch (isa) {
    case Isa::kSse2: return convolution_kernels_sse2();
    case Isa::kAvx2: return convolution_kernels_avx2();
    case Isa::kAvx512: return convolution_kernels_avx512();
  }
  __builtin_unreachable();
}

/// Returns    nothing where the shapes are too odd for the kernels
std::optional<Plan> plan_of(const hlo::ConvolutionAttributes& a, const ConvolutionTypes& types, const Shape& lhs,
                            const Shape& rhs, const Shape& out, Isa isa) {
  const auto problems = convolution_problems(a, lhs, rhs, out);
  if (!problems) return std::nullopt;
  const bool wide = types.lhs == ElementType::kF64 || types.rhs == ElementType::kF64 || types.out == ElementType::kF64;
  Plan plan;
  double work = 0;
  if (std::ranges::any_of(*problems, is_empty)) {
    const int64_t bytes = out.element_count() * element_size_bytes(types.out);
    plan.steps.push_back(std::make_unique<ZeroStep>(static_cast<size_t>(bytes)));
  }
  for (const ConvolutionProblem& p : *problems) {
    if (out.element_count() == 0 || is_empty(p)) continue;
    std::unique_ptr<ConvolutionStep> step =
        wide ? make_step<double>(p, types, kernels_of(isa).f64) : make_step<float>(p, types, kernels_of(isa).f32);
    if (step == nullptr) return std::nullopt;
    plan.steps.push_back(std::move(step));
    work += static_cast<double>(p.positions()) * static_cast<double>(p.taps() * p.inputs.extent) *
            static_cast<double>(p.batch.extent * p.outputs.extent * p.groups.extent);
  }
  plan.forks = work > kWorthForking;
  return plan;
}

template <typename T>
std::unique_ptr<Hero> complex_hero(Plan plan, const Shape& lhs, const Shape& rhs, const Shape& out) {
  return std::make_unique<ComplexConvolutionHero<T>>(std::move(plan), lhs.element_count(), rhs.element_count(),
                                                     out.element_count());
}

}  // namespace

std::unique_ptr<Hero> make_convolution_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape& result = results[0];
  const Isa isa = request.isa;
  const auto& a = hlo::attributes_of<hlo::ConvolutionAttributes>(instruction);
  const ConvolutionTypes types{operands[0].element_type(), operands[1].element_type(), result.element_type()};
  if (is_complex(types.out) && types.lhs == types.out && types.rhs == types.out) {
    const ElementType part = types.out == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    std::optional<Plan> plan = plan_of(a, {part, part, part}, operands[0], operands[1], result, isa);
    if (!plan) return nullptr;
    if (part == ElementType::kF32) return complex_hero<float>(*std::move(plan), operands[0], operands[1], result);
    return complex_hero<double>(*std::move(plan), operands[0], operands[1], result);
  }
  if (!is_computed(types.lhs) || !is_computed(types.rhs) || !is_computed(types.out)) return nullptr;
  std::optional<Plan> plan = plan_of(a, types, operands[0], operands[1], result, isa);
  if (!plan) return nullptr;
  return std::make_unique<ConvolutionHero>(*std::move(plan));
}

}  // namespace hilo::cpu
