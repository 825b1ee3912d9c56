// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/scatter.cc -- scatter. Of one array and a plain body: the result's memory holds the array already, updates
// go into it. Of several, or with another body of scalars: the body is compiled. Updates of one place are
// applied in order, so equal indices give the same bits on every run and any number of threads.
#include <complex>
#include <cstring>

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/runtime/parallel.h"
#include "hilo/backend/cpu/runtime/scatter_places.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise_kernels.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

enum class Update : uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAssign };

std::optional<Update> update_of(const hlo::Computation& body) {
  if (body.root().opcode == hlo::Opcode::kParameter &&
      hlo::attributes_of<hlo::ParameterAttributes>(body.root()).number == 1)
    return Update::kAssign;
  switch (body.reducer_kind()) {
    case hlo::ReducerKind::kAdd: return Update::kAdd;
    case hlo::ReducerKind::kMultiply: return Update::kMultiply;
    case hlo::ReducerKind::kMaximum: return Update::kMaximum;
    case hlo::ReducerKind::kMinimum: return Update::kMinimum;
    case hlo::ReducerKind::kAnd:
    case hlo::ReducerKind::kOr:
    case hlo::ReducerKind::kXor:
    case hlo::ReducerKind::kArgMax:
    case hlo::ReducerKind::kArgMin:
    case hlo::ReducerKind::kGeneric: return std::nullopt;
  }
  return std::nullopt;
}

constexpr int64_t kWorthForking = 1 << 15;  // updated elements
constexpr int64_t kLeastWindow = 8;         // elements; to look at an index takes as long as to update some

/// Complex numbers have sums and products only.
template <Update kUpdate, typename T>
  requires hlo::kernels::is_complex<T>
T combined(T a, T u) {
  if constexpr (kUpdate == Update::kAdd) return a + u;
  else if constexpr (kUpdate == Update::kMultiply) return hlo::kernels::multiply(a, u);
  else return u;
}

template <typename T>
bool is_nan(T x) {
  if constexpr (computes_in_float<T>) return static_cast<float>(x) != static_cast<float>(x);
  else return x != x;
}

template <Update kUpdate, typename T>
T combined(T a, T u) {
  if constexpr (kUpdate == Update::kAdd) {
    if constexpr (std::is_same_v<T, bool>) return a || u;
    else if constexpr (is_integral_element<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(u));
    else return T(a + u);
  } else if constexpr (kUpdate == Update::kMultiply) {
    if constexpr (std::is_same_v<T, bool>) return a && u;
    else if constexpr (is_integral_element<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(u));
    else return T(a * u);
  } else if constexpr (kUpdate == Update::kMaximum) return is_nan(a) ? a : is_nan(u) || a < u ? u : a;
  else if constexpr (kUpdate == Update::kMinimum) return is_nan(a) ? a : is_nan(u) || u < a ? u : a;
  else return u;
}

template <Update kUpdate, typename T>
void apply_run(int64_t run, T* __restrict array, const T* __restrict update) {
  constexpr int64_t kAtOnce = 8;  // a number that the compiler knows, so that it makes vectors of it
  int64_t i = 0;
  for (; i + kAtOnce <= run; i += kAtOnce) {
    for (int64_t k = i; k < i + kAtOnce; ++k) array[k] = combined<kUpdate>(array[k], update[k]);
  }
  for (; i < run; ++i) array[i] = combined<kUpdate>(array[i], update[i]);
}

/// A scatter of one array with a plain body.
struct PlainScatter {
  ScatterPlaces places;
  int64_t updated;  ///< elements of the updates
  Update update;
  ElementType type;
};

template <Update kUpdate, typename T>
void update_rows(const ScatterPlaces& places, void* const* buffers, int64_t begin, int64_t end) {
  T* array = static_cast<T*>(buffers[3]);
  const T* updates = static_cast<const T*>(buffers[2]);
  const int64_t run = places.run();
  if (run == 1) {
    places.each(buffers[1], begin, end,
                [=](int64_t at, int64_t from) { array[at] = combined<kUpdate>(array[at], updates[from]); });
  } else {
    places.each(buffers[1], begin, end,
                [=](int64_t at, int64_t from) { apply_run<kUpdate>(run, array + at, updates + from); });
  }
}

/// Each thread looks at all indices and updates the rows that are its own, so that the order of updates stays.
template <Update kUpdate, typename T>
void run_update(const PlainScatter& scatter, void* const* buffers) {
  const ScatterPlaces& places = scatter.places;
  const bool forks = scatter.updated > kWorthForking && places.window() >= kLeastWindow;
  in_parts(places.rows(), forks ? std::min<int64_t>(places.rows(), default_pool().threads()) : 1,
           [&](int64_t begin, int64_t end) { update_rows<kUpdate, T>(places, buffers, begin, end); });
}

template <typename T>
void run_as(const PlainScatter& scatter, void* const* buffers) {
  switch (scatter.update) {
    case Update::kAdd: return run_update<Update::kAdd, T>(scatter, buffers);
    case Update::kMultiply: return run_update<Update::kMultiply, T>(scatter, buffers);
    case Update::kMaximum: return run_update<Update::kMaximum, T>(scatter, buffers);
    case Update::kMinimum: return run_update<Update::kMinimum, T>(scatter, buffers);
    case Update::kAssign: return run_update<Update::kAssign, T>(scatter, buffers);
  }
}

class ScatterHero final : public Hero {
 public:
  explicit ScatterHero(PlainScatter scatter) : scatter_(std::move(scatter)) {}

  bool updates_in_place() const override { return true; }

  Status run(void* const* buffers, RunContext&) const override {
    return visit_array_type(
        scatter_.type,
        [&]<typename T>() -> Status {
          run_as<T>(scatter_, buffers);
          return ok_status();
        },
        [] { return internal_error("scatter: element type"); });
  }

 private:
  PlainScatter scatter_;
};

/// Any number of arrays, any body of scalars.
class CompiledScatterHero final : public Hero {
 public:
  CompiledScatterHero(ScatterPlaces places, ScalarProgram body, std::span<const Shape> arrays)
      : places_(std::move(places)), body_(std::move(body)) {
    for (const Shape& array : arrays) {
      widths_.push_back(static_cast<size_t>(element_size_bytes(array.element_type())));
      bytes_.push_back(static_cast<size_t>(array.byte_size()));
    }
  }

  Status run(void* const* buffers, RunContext&) const override {
    const size_t n = widths_.size();
    void* const* results = buffers + 2 * n + 1;
    for (size_t k = 0; k < n; ++k) {
      if (bytes_[k] != 0) std::memcpy(results[k], buffers[k], bytes_[k]);
    }
    // The body writes its results one by one, so they go beside the elements first.
    std::vector<std::complex<double>> fresh(n);  // as wide as any element
    std::vector<const void*> arguments(2 * n);
    std::vector<void*> outcome(n);
    for (size_t k = 0; k < n; ++k) outcome[k] = &fresh[k];
    places_.each(buffers[n], 0, places_.rows(), [&](int64_t at, int64_t from) {
      for (int64_t i = 0; i < places_.run(); ++i) {
        for (size_t k = 0; k < n; ++k) {
          arguments[k] = element(results[k], k, at + i);
          arguments[n + k] = element(buffers[n + 1 + k], k, from + i);
        }
        static const uint32_t never = 0;  // a body is too short to cancel
        body_.function(arguments.data(), outcome.data(), &never);
        for (size_t k = 0; k < n; ++k) std::memcpy(element(results[k], k, at + i), &fresh[k], widths_[k]);
      }
    });
    return ok_status();
  }

 private:
  std::byte* element(void* array, size_t k, int64_t i) const {
    return static_cast<std::byte*>(array) + static_cast<size_t>(i) * widths_[k];
  }

  ScatterPlaces places_;
  ScalarProgram body_;
  std::vector<size_t> widths_, bytes_;
};

/// Whether plain C++ does the update.
bool has_plain_update(ElementType type, Update update) {
  return !is_complex(type) || (update != Update::kMaximum && update != Update::kMinimum);
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_scatter_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                                  Isa isa) {
  const auto& a = hlo::attributes_of<hlo::ScatterAttributes>(instruction);
  const size_t n = operands.size() / 2;
  const ElementType index_type = operands[n].element_type();
  if (!is_integer(index_type)) return std::unique_ptr<Hero>();
  ScatterPlaces places(a, operands[0], operands[n], operands[n + 1]);
  const std::optional<Update> update = update_of(*a.to_apply);
  if (n == 1 && update && has_plain_update(operands[0].element_type(), *update))
    return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(
        PlainScatter{std::move(places), operands[2].element_count(), *update, operands[0].element_type()}));
  if (!is_scalar_program(*a.to_apply)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(ScalarProgram body, compile_scalar_program(*a.to_apply, isa));
  return std::unique_ptr<Hero>(
      std::make_unique<CompiledScatterHero>(std::move(places), std::move(body), operands.first(n)));
}

}  // namespace hilo::cpu
