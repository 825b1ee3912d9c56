// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/scatter.cc -- scatter. Of one array and a plain body: the result's memory holds the array already, updates
// go into it. Of several, or with another body of scalars: the body is compiled. Updates are applied in order, so equal
// indices give the same bits on every run.
#include <algorithm>
#include <complex>
#include <cstring>

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/heroes.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise_kernels.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/hlo/ops/scatter.h"
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

/// Complex numbers have sums and products only.
template <typename T>
  requires hlo::kernels::is_complex<T>
T combined(Update update, T a, T u) {
  if (update == Update::kAdd) return a + u;
  return update == Update::kMultiply ? hlo::kernels::multiply(a, u) : u;
}

template <typename T>
T combined(Update update, T a, T u) {
  constexpr bool kFloating = std::is_floating_point_v<T> || computes_in_float<T>;
  const auto is_nan = [](T x) {
    if constexpr (kFloating) return static_cast<double>(x) != static_cast<double>(x);
    else return x != x;
  };
  switch (update) {
    case Update::kAdd:
      if constexpr (std::is_same_v<T, bool>) return a || u;
      else if constexpr (is_integral_element<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(u));
      else return T(a + u);
    case Update::kMultiply:
      if constexpr (std::is_same_v<T, bool>) return a && u;
      else if constexpr (is_integral_element<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(u));
      else return T(a * u);
    case Update::kMaximum: return is_nan(a) ? a : is_nan(u) || a < u ? u : a;
    case Update::kMinimum: return is_nan(a) ? a : is_nan(u) || u < a ? u : a;
    case Update::kAssign: return u;
  }
  return u;
}

/// One stretch of a window that is contiguous in array and update.
struct Piece {
  int64_t array, update;  ///< offsets from the window's start
};

/// Where each run of updates goes.
class ScatterPlaces {
 public:
  ScatterPlaces(const hlo::ScatterAttributes& a, const Shape& array, const Shape& indices, const Shape& updates)
      : index_type_(indices.element_type()) {
    const std::vector<int64_t> array_strides = strides_of(array), update_strides = strides_of(updates),
                               index_strides = strides_of(indices);
    const std::vector<int64_t> window =
        hlo::other_dimensions(array.rank(), a.inserted_window_dims, a.input_batching_dims);
    window_sizes_.assign(static_cast<size_t>(array.rank()), 1);
    for (size_t k = 0; k < window.size(); ++k)
      window_sizes_[static_cast<size_t>(window[k])] = updates.dimension(a.update_window_dims[k]);
    array_sizes_.assign(array.dimensions().begin(), array.dimensions().end());
    array_strides_ = array_strides;
    // Batch positions: dimensions of the indices but the vector's; the update's scatter dimensions go along with them.
    const std::vector<int64_t> scatter_dims = hlo::other_dimensions(updates.rank(), a.update_window_dims);
    size_t next = 0;
    for (int64_t d = 0; d < indices.rank(); ++d) {
      if (d == a.index_vector_dim) continue;
      const auto batching = std::ranges::find(a.scatter_indices_batching_dims, d);
      const int64_t along =
          batching == a.scatter_indices_batching_dims.end()
              ? -1
              : a.input_batching_dims[static_cast<size_t>(batching - a.scatter_indices_batching_dims.begin())];
      batch_.push_back({indices.dimension(d), index_strides[static_cast<size_t>(d)],
                        update_strides[static_cast<size_t>(scatter_dims[next++])], along});
    }
    component_stride_ =
        a.index_vector_dim < indices.rank() ? index_strides[static_cast<size_t>(a.index_vector_dim)] : 0;
    index_map_ = a.scatter_dims_to_operand_dims;
    // The window: trailing dimensions that are contiguous on both sides become one run.
    std::vector<Piece> pieces = {{0, 0}};
    size_t k = window.size();
    while (k > 0) {
      const size_t d = static_cast<size_t>(window[k - 1]);
      const int64_t extent = window_sizes_[d];
      if (extent != 1 &&
          (array_strides[d] != run_ || update_strides[static_cast<size_t>(a.update_window_dims[k - 1])] != run_))
        break;
      run_ *= extent;
      --k;
    }
    for (; k > 0; --k) {
      const size_t d = static_cast<size_t>(window[k - 1]);
      std::vector<Piece> grown;
      for (int64_t i = 0; i < window_sizes_[d]; ++i) {
        for (const Piece& p : pieces)
          grown.push_back({p.array + i * array_strides[d],
                           p.update + i * update_strides[static_cast<size_t>(a.update_window_dims[k - 1])]});
      }
      pieces = std::move(grown);
    }
    pieces_ = std::move(pieces);
    if (updates.element_count() == 0) run_ = 0;
  }

  /// Contiguous elements of a run; 0 if there are no updates.
  int64_t run() const { return run_; }

  /// Calls f(offset in the array, offset in the updates) for every run that is in bounds, in order.
  template <typename F>
  void each(const void* indices, F&& f) const {
    int64_t total = run_ == 0 ? 0 : 1;
    for (const Batch& b : batch_) total *= b.extent;
    std::vector<int64_t> position(batch_.size(), 0), start(array_sizes_.size());
    for (int64_t turn = 0; turn < total; ++turn) {
      int64_t index_at_batch = 0, update_at = 0;
      std::ranges::fill(start, 0);
      for (size_t k = 0; k < batch_.size(); ++k) {
        index_at_batch += position[k] * batch_[k].index_stride;
        update_at += position[k] * batch_[k].update_stride;
        if (batch_[k].array_dimension >= 0) start[static_cast<size_t>(batch_[k].array_dimension)] = position[k];
      }
      for (size_t k = 0; k < index_map_.size(); ++k) {
        start[static_cast<size_t>(index_map_[k])] =
            index_at(indices, index_at_batch + static_cast<int64_t>(k) * component_stride_);
      }
      bool fits = true;
      int64_t at = 0;
      for (size_t d = 0; d < start.size(); ++d) {
        fits = fits && start[d] >= 0 && start[d] <= array_sizes_[d] - window_sizes_[d];
        if (fits) at += start[d] * array_strides_[d];
      }
      if (fits) {
        for (const Piece& p : pieces_) f(at + p.array, update_at + p.update);
      }
      for (size_t k = batch_.size(); k-- > 0;) {
        if (++position[k] < batch_[k].extent) break;
        position[k] = 0;
      }
    }
  }

 private:
  struct Batch {
    int64_t extent, index_stride, update_stride, array_dimension;
  };

  int64_t index_at(const void* indices, int64_t at) const {
    return visit_array_type(
        index_type_,
        [&]<typename T>() -> int64_t {
          if constexpr (is_integral_element<T>) {
            const T value = static_cast<const T*>(indices)[at];
            if constexpr (std::is_same_v<T, uint64_t>)
              return value > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
            else return static_cast<int64_t>(value);
          }
          return 0;
        },
        [] { return int64_t{0}; });
  }

  ElementType index_type_;
  std::vector<int64_t> window_sizes_, array_sizes_, array_strides_, index_map_;
  std::vector<Batch> batch_;
  std::vector<Piece> pieces_;
  int64_t component_stride_ = 0;
  int64_t run_ = 1;
};

template <typename T>
void apply_run(Update by, int64_t run, T* __restrict array, const T* __restrict update) {
  if (by == Update::kAdd) {
    for (int64_t i = 0; i < run; ++i) array[i] = combined(Update::kAdd, array[i], update[i]);
  } else if (by == Update::kAssign) {
    std::memcpy(array, update, static_cast<size_t>(run) * sizeof(T));
  } else {
    for (int64_t i = 0; i < run; ++i) array[i] = combined(by, array[i], update[i]);
  }
}

class ScatterHero final : public Hero {
 public:
  ScatterHero(ScatterPlaces places, ElementType type, Update update)
      : places_(std::move(places)), update_(update), type_(type) {}

  bool updates_in_place() const override { return true; }

  Status run(void* const* buffers, RunContext&) const override {
    return visit_array_type(
        type_,
        [&]<typename T>() -> Status {
          T* array = static_cast<T*>(buffers[3]);
          const T* updates = static_cast<const T*>(buffers[2]);
          places_.each(buffers[1], [&](int64_t at, int64_t from) {
            apply_run(update_, places_.run(), array + at, updates + from);
          });
          return ok_status();
        },
        [] { return internal_error("scatter: element type"); });
  }

 private:
  ScatterPlaces places_;
  Update update_;
  ElementType type_;
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
    places_.each(buffers[n], [&](int64_t at, int64_t from) {
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
    return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(std::move(places), operands[0].element_type(), *update));
  if (!is_scalar_program(*a.to_apply)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(ScalarProgram body, compile_scalar_program(*a.to_apply, isa));
  return std::unique_ptr<Hero>(
      std::make_unique<CompiledScatterHero>(std::move(places), std::move(body), operands.first(n)));
}

}  // namespace hilo::cpu
