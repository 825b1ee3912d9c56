// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/convolution.cc -- the convolution op: which way each of its problems is run.
#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/runtime/convolution_step.h"

namespace hilo::cpu {
namespace {

constexpr double kWorthForking = 1 << 18;  // multiplications: some 5 us
constexpr size_t kMostProblems = 1024;

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

template <typename T>
std::unique_ptr<ConvolutionStep> make_step(const ConvolutionProblem& p, const ConvolutionTypes& types,
                                           const TileKernels<T>& kernels) {
  const bool by_channel = is_by_channel(p, kernels.lanes);
  if (!by_channel) {
    if (std::unique_ptr<ConvolutionStep> step = make_product_step<T>(p, types)) return step;
  }
  return p.taps() > p.positions() ? make_gradient_step<T>(p, types, kernels) : make_forward_step<T>(p, types, kernels);
}

class ConvolutionHero final : public Hero {
 public:
  ConvolutionHero(std::vector<std::unique_ptr<ConvolutionStep>> steps, double work)
      : steps_(std::move(steps)), forks_(work > kWorthForking) {}

  Status run(void* const* buffers, RunContext&) const override {
    const ConvolutionBuffers all{buffers[0], buffers[1], buffers[2], forks_ ? &default_pool() : nullptr};
    for (const std::unique_ptr<ConvolutionStep>& step : steps_) HILO_RETURN_IF_ERROR(step->run(all));
    return ok_status();
  }

 private:
  std::vector<std::unique_ptr<ConvolutionStep>> steps_;
  bool forks_;
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

}  // namespace

std::unique_ptr<Hero> make_convolution_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                            const Shape& result, Isa isa) {
  const ConvolutionTypes types{operands[0].element_type(), operands[1].element_type(), result.element_type()};
  if (!is_computed(types.lhs) || !is_computed(types.rhs) || !is_computed(types.out)) return nullptr;
  const auto& a = hlo::attributes_of<hlo::ConvolutionAttributes>(instruction);
  const auto problems = convolution_problems(a, operands[0], operands[1], result);
  if (!problems || problems->size() > kMostProblems) return nullptr;
  const bool wide = types.lhs == ElementType::kF64 || types.rhs == ElementType::kF64 || types.out == ElementType::kF64;
  std::vector<std::unique_ptr<ConvolutionStep>> steps;
  double work = 0;
  if (std::ranges::any_of(*problems, is_empty))
    steps.push_back(std::make_unique<ZeroStep>(static_cast<size_t>(result.byte_size())));
  for (const ConvolutionProblem& p : *problems) {
    if (result.element_count() == 0 || is_empty(p)) continue;
    if (wide) steps.push_back(make_step<double>(p, types, kernels_of(isa).f64));
    else steps.push_back(make_step<float>(p, types, kernels_of(isa).f32));
    work += static_cast<double>(p.positions()) * static_cast<double>(p.taps() * p.inputs.extent) *
            static_cast<double>(p.batch.extent * p.outputs.extent * p.groups.extent);
  }
  return std::make_unique<ConvolutionHero>(std::move(steps), work);
}

}  // namespace hilo::cpu
