// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/reduce.cc -- reductions that regions don't support: bodies with branches, loops or calls,
// long bodies, and reductions over no dimension.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxParts = 64;

/// Some dimensions of the operands, in order.
struct Part {
  std::vector<int64_t> sizes, strides;
  int64_t count() const { return hlo::count_of(sizes); }
};

class CompiledReduceHero final : public Hero {
 public:
  CompiledReduceHero(Part outer, Part reduced, std::vector<size_t> from_widths, std::vector<size_t> widths,
                     ScalarFunction body)
      : outer_(std::move(outer)),
        reduced_(std::move(reduced)),
        from_widths_(std::move(from_widths)),
        widths_(std::move(widths)),
        body_(body) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const int64_t results = outer_.count();
    const double work = static_cast<double>(results) * static_cast<double>(reduced_.count());
    const int64_t parts = worth_forking(work_ns(kCpuCosts.library.combined, work)) ? std::min(results, kMaxParts) : 1;
    in_parts(results, parts, [&](int64_t begin, int64_t end) {
      const StopFlag stop;
      for (int64_t to = begin; to < end && !stop.raised(); ++to) reduce_one(buffers, to, stop);
    });
    return ok_status();
  }

 private:
  int64_t offset_of_result(int64_t number) const {
    int64_t offset = 0;
    for (size_t d = outer_.sizes.size(); d-- > 0;) {
      offset += number % outer_.sizes[d] * outer_.strides[d];
      number /= outer_.sizes[d];
    }
    return offset;
  }

  void reduce_one(void* const* buffers, int64_t to, const StopFlag& stop) const {
    const uint32_t* const word = polled_word(stop_word());  // the body may have a loop
    const size_t n = widths_.size();
    const int64_t from = offset_of_result(to);
    std::vector<const void*> arguments(2 * n);
    std::vector<void*> results(n);
    // as wide as any element; the two halves alternate as operands and results
    std::vector<std::complex<double>> sums(2 * n);
    size_t now = 0;
    for (size_t k = 0; k < n; ++k) std::memcpy(&sums[k], buffers[n + k], widths_[k]);
    std::vector<int64_t> index(reduced_.sizes.size(), 0);
    bool more = reduced_.count() != 0;
    while (more && !stop.raised()) {
      const int64_t at = from + hlo::offset_of(index, reduced_.strides);
      for (size_t k = 0; k < n; ++k) {
        arguments[k] = &sums[now + k];
        results[k] = &sums[n - now + k];
        arguments[n + k] = static_cast<const std::byte*>(buffers[k]) + static_cast<size_t>(at) * from_widths_[k];
      }
      body_(arguments.data(), results.data(), word);
      now = n - now;
      more = hlo::next_index(reduced_.sizes, index);
    }
    for (size_t k = 0; k < n; ++k) {
      std::memcpy(static_cast<std::byte*>(buffers[2 * n + k]) + static_cast<size_t>(to) * widths_[k], &sums[now + k],
                  widths_[k]);
    }
  }

  Part outer_, reduced_;
  std::vector<size_t> from_widths_, widths_;  ///< bytes of an element of the arrays, and of the results
  ScalarFunction body_;
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_reduce_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::ReduceAttributes>(instruction);
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  const std::vector<int64_t> strides = row_major_strides(operands[0].dimensions());
  Part outer, reduced;
  for (size_t d = 0; d < strides.size(); ++d) {
    Part& part = std::ranges::count(a.dimensions, d) != 0 ? reduced : outer;
    part.sizes.push_back(operands[0].dimensions()[d]);
    part.strides.push_back(strides[d]);
  }
  std::vector<size_t> from_widths, widths;
  for (size_t k = 0; k < results.size(); ++k) {
    from_widths.push_back(element_size_bytes(operands[k].element_type()));
    widths.push_back(element_size_bytes(results[k].element_type()));
  }
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  return std::unique_ptr<Hero>(std::make_unique<CompiledReduceHero>(std::move(outer), std::move(reduced),
                                                                    std::move(from_widths), std::move(widths), body));
}

}  // namespace hilo::cpu
