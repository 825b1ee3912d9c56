// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution.cc -- the convolution op: selects a step for each of its problems.
#include "hilo/backend/cpu/library/convolution/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hilo/backend/cpu/library/convolution/convolution_pack.h"
#include "hilo/backend/cpu/library/convolution/convolution_step.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxProblems = 1024;
constexpr size_t kMaxSpatial = 3;  // of a ConvolutionProblem

/// Writes zeros, the sums of no terms.
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

/// Whether a step's table of term positions would be too large. It lists all terms, or runs of them.
bool lists_too_much(const ConvolutionProblem& p, bool each_term) {
  constexpr double kMaxListed = 1 << 22;
  constexpr double kTermsOfRun = 64;
  const auto inputs = static_cast<double>(p.inputs.extent);
  double taps = 1;
  for (const ConvolutionDimension& d : p.dims) taps *= static_cast<double>(d.taps);
  return std::max(taps, taps * inputs / (each_term ? 1 : kTermsOfRun)) > kMaxListed;
}

bool all_finite(ElementType type, const void* data, int64_t count) {
  bool finite = true;
  visit_float(type, [&]<typename T>() {
    for (const T* at = static_cast<const T*>(data); at != static_cast<const T*>(data) + count; ++at)
      finite &= std::isfinite(static_cast<double>(*at));
  });
  return finite;
}

/// Swaps the operands if a window is mostly over padding. Padding multiplies zeros, and swapping pads the other
/// operand. So this needs types in which no product with zero is NaN.
class SwappedStep final : public ConvolutionStep {
 public:
  SwappedStep(const ConvolutionTypes& types, int64_t lhs, int64_t rhs, int64_t rhs_offset,
              std::unique_ptr<ConvolutionStep> swapped, std::unique_ptr<ConvolutionStep> plain)
      : types_(types), lhs_(lhs), rhs_(rhs), swapped_(std::move(swapped)), plain_(std::move(plain)) {
    offset_bytes_ = rhs_offset * element_size_bytes(types.rhs);
  }

  Status run(const ConvolutionBuffers& buffers) const override {
    if (!all_finite(types_.lhs, buffers.lhs, lhs_) || !all_finite(types_.rhs, buffers.rhs, rhs_))
      return plain_->run(buffers);
    return swapped_->run(
        {static_cast<const std::byte*>(buffers.rhs) + offset_bytes_, buffers.lhs, buffers.out, buffers.executor});
  }

 private:
  ConvolutionTypes types_;
  int64_t lhs_, rhs_;  ///< elements
  int64_t offset_bytes_;
  std::unique_ptr<ConvolutionStep> swapped_, plain_;
};

/// Returns null if no step supports the problem.
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

int64_t inputs_of(const ConvolutionProblem& p) { return p.dims[0].size * p.dims[1].size * p.dims[2].size; }

template <typename T>
std::unique_ptr<ConvolutionStep> make_best_step(const ConvolutionProblem& p, const ConvolutionTypes& types,
                                                const TileKernels<T>& kernels, const Shape& lhs, const Shape& rhs) {
  constexpr int64_t kWorthTurning = 4;  // if at least this number of taps, except one, read padding
  std::unique_ptr<ConvolutionStep> plain = make_step<T>(p, types, kernels);
  if (plain == nullptr || inputs_of(p) > p.taps() / kWorthTurning || p.positions() == 1) return plain;
  const std::optional<ConvolutionProblem> turned = swapped(p);
  if (!turned || turned->is_empty()) return plain;
  std::unique_ptr<ConvolutionStep> step = make_step<T>(*turned, {types.rhs, types.lhs, types.out}, kernels);
  if (step == nullptr) return plain;
  return std::make_unique<SwappedStep>(types, lhs.element_count(), rhs.element_count(), p.rhs_offset, std::move(step),
                                       std::move(plain));
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
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(count * sizeof(T)));
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

bool is_computed(ElementType t) { return t == ElementType::kF32 || t == ElementType::kF64; }

const ConvolutionKernels& kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return convolution_kernels_avx512();
    if (isa == Isa::kAvx2) return convolution_kernels_avx2();
  }
  return convolution_kernels_sse2();
}

/// Creates the steps. Precondition: all dimensions are problem_dimensions.
/// Returns    nullopt if no step supports the problems
std::optional<Plan> plan_of(const hlo::ConvolutionAttributes& a, const ConvolutionTypes& types, const Shape& lhs,
                            const Shape& rhs, const Shape& out, Isa isa) {
  const auto problems = *convolution_problems(a, lhs, rhs, out);
  const bool wide = types.lhs == ElementType::kF64 || types.rhs == ElementType::kF64 || types.out == ElementType::kF64;
  Plan plan;
  double work = 0;
  if (std::ranges::any_of(problems, &ConvolutionProblem::is_empty)) {
    const int64_t bytes = out.element_count() * element_size_bytes(types.out);
    plan.steps.push_back(std::make_unique<ZeroStep>(static_cast<size_t>(bytes)));
  }
  for (const ConvolutionProblem& p : problems) {
    if (out.element_count() == 0 || p.is_empty()) continue;
    std::unique_ptr<ConvolutionStep> step = wide ? make_best_step<double>(p, types, kernels_of(isa).f64, lhs, rhs)
                                                 : make_best_step<float>(p, types, kernels_of(isa).f32, lhs, rhs);
    if (step == nullptr) return std::nullopt;
    plan.steps.push_back(std::move(step));
    work += static_cast<double>(p.positions()) * static_cast<double>(p.taps() * p.inputs.extent) *
            static_cast<double>(p.batch.extent * p.outputs.extent * p.groups.extent);
  }
  plan.forks = worth_forking(work_ns(kCpuCosts.library.convolution_term, work));
  return plan;
}

/// Returns the window dimensions that are in problems: as many as a problem has, those with few problems first.
std::vector<size_t> problem_dimensions(const hlo::ConvolutionAttributes& a, const Shape& out) {
  std::vector<size_t> order, spatial;
  const auto phases = [&](size_t k) {
    return convolution_phases(a.window[k], out.dimension(a.dimensions.output_spatial[k]));
  };
  for (size_t k = a.window.size(); k-- > 0;) {
    if (phases(k)) order.push_back(k);
  }
  std::ranges::stable_sort(order, [&](size_t x, size_t y) {
    const auto extent = [&](size_t k) { return a.window[k].size * out.dimension(a.dimensions.output_spatial[k]); };
    return std::pair(*phases(x), -extent(x)) < std::pair(*phases(y), -extent(y));
  });
  int64_t problems = 1;
  for (const size_t k : order) {
    if (spatial.size() == kMaxSpatial || *phases(k) > kMaxProblems / problems) break;
    problems *= *phases(k);
    spatial.push_back(k);
  }
  std::ranges::sort(spatial);
  return spatial;
}

template <typename T>
std::unique_ptr<Hero> complex_hero(Plan plan, const Shape& lhs, const Shape& rhs, const Shape& out) {
  return std::make_unique<ComplexConvolutionHero<T>>(std::move(plan), lhs.element_count(), rhs.element_count(),
                                                     out.element_count());
}

}  // namespace

std::unique_ptr<Hero> make_convolution(const hlo::ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs,
                                       const Shape& result, Isa isa) {
  if (std::unique_ptr<Hero> product = make_integer_convolution(a, lhs, rhs, result, isa)) return product;
  const std::vector<size_t> spatial = problem_dimensions(a, result);
  if (spatial.size() < a.window.size()) return make_gathered_convolution(a, lhs, rhs, result, spatial, isa);
  const ConvolutionTypes types{lhs.element_type(), rhs.element_type(), result.element_type()};
  if (is_complex(types.out) && types.lhs == types.out && types.rhs == types.out) {
    const ElementType part = types.out == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    std::optional<Plan> plan = plan_of(a, {part, part, part}, lhs, rhs, result, isa);
    if (!plan) return nullptr;
    if (part == ElementType::kF32) return complex_hero<float>(*std::move(plan), lhs, rhs, result);
    return complex_hero<double>(*std::move(plan), lhs, rhs, result);
  }
  if (!is_computed(types.lhs) || !is_computed(types.rhs) || !is_computed(types.out))
    return make_converted_convolution(a, lhs, rhs, result, isa);
  std::optional<Plan> plan = plan_of(a, types, lhs, rhs, result, isa);
  if (!plan) return nullptr;
  return std::make_unique<ConvolutionHero>(*std::move(plan));
}

std::unique_ptr<Hero> make_convolution_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  return make_convolution(hlo::attributes_of<hlo::ConvolutionAttributes>(instruction), operands[0], operands[1],
                          results[0], request.isa);
}

}  // namespace hilo::cpu
