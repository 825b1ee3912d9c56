// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_run.cc -- calls the handler of a custom call with operands and results in the requested layouts.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstring>
#include <exception>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/run_scope.h"
#include "hilo/base/text.h"
#include "hilo/base/transpose.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/custom_call_results.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::hlo {
namespace {

struct Sixteen {
  uint64_t halves[2];
};

/// Calls copy.operator()<T>() for a type T of `bytes` bytes.
template <typename Copy>
void with_width(int bytes, Copy&& copy) {
  if (bytes == 1) copy.template operator()<uint8_t>();
  else if (bytes == 2) copy.template operator()<uint16_t>();
  else if (bytes == 4) copy.template operator()<uint32_t>();
  else if (bytes == 8) copy.template operator()<uint64_t>();
  else copy.template operator()<Sixteen>();
}

/// Returns whether the layout is row-major except for the last two dimensions, which are swapped, as LAPACK requires.
bool is_column_major(const Shape& shape) {
  const std::span<const int64_t> order = shape.minor_to_major();
  const int64_t rank = shape.rank();
  if (rank < 2 || order[0] != rank - 2 || order[1] != rank - 1) return false;
  for (int64_t d = 2; d < rank; ++d) {
    if (order[d] != rank - 1 - d) return false;
  }
  return true;
}

/// Whether elements are in row-major order. Dimensions of extent 1 don't matter: a column is a vector in every layout.
bool is_row_major(const Shape& shape) {
  if (!shape.is_array() || shape.has_default_layout()) return true;
  int64_t outer = shape.rank();
  for (const int64_t d : shape.minor_to_major()) {
    if (shape.dimension(d) == 1) continue;
    if (d > outer) return false;
    outer = d;
  }
  return true;
}

/// Copies between row-major order and the layout of `shape`.
void relayout(const Shape& shape, const void* from, void* to, bool to_row_major) {
  with_width(element_size_bytes(shape.element_type()), [&]<typename T>() {
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    const int64_t rank = shape.rank(), elements = shape.element_count();
    if (elements == 0) return;
    if (is_column_major(shape)) {
      const int64_t rows = shape.dimension(rank - 2), columns = shape.dimension(rank - 1);
      const int64_t from_rows = to_row_major ? columns : rows, from_columns = to_row_major ? rows : columns;
      return transpose_matrices(source, target, elements / (rows * columns), from_rows, from_columns,
                                static_cast<int>(sizeof(T)));
    }
    const std::vector<int64_t> strides = strides_of(shape);
    std::vector<int64_t> index(rank, 0);
    int64_t linear = 0;
    do {
      const int64_t physical = offset_of(index, strides);
      if (to_row_major) target[linear++] = source[physical];
      else target[physical] = source[linear++];
    } while (next_index(shape.dimensions(), index));
  });
}

/// The buffers of one call: the caller's own if their layout fits, else memory for copies.
struct Buffers {
  boost::container::small_vector<CustomCallBuffer, 8> operands, results;
  boost::container::small_vector<AlignedBuffer, 4> copies;

  StatusOr<void*> copy(const Shape& shape) {
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(shape.byte_size()));
    copies.push_back(std::move(memory));
    return static_cast<void*>(copies.back().data());
  }
};

CustomCallBuffer buffer_of(const Shape& shape, void* data) {
  if (!shape.is_array()) return {};
  return {shape.element_type(), shape.dimensions(), data};
}

std::atomic<bool> clears_results = false;

bool is_aliased(const CustomCallPlan& plan, size_t result) {
  return std::ranges::any_of(plan.aliases,
                             [&](const auto& alias) { return alias.first == static_cast<int64_t>(result); });
}

Status bring_in(const CustomCallPlan& plan, void* const* operands, void* const* results, Buffers& buffers) {
  for (size_t k = 0; k < plan.results.size(); ++k) {
    void* data = results[k];
    if (!is_row_major(plan.results[k])) {
      HILO_ASSIGN_OR_RETURN(data, buffers.copy(plan.results[k]));
    }
    if (clears_results && !is_aliased(plan, k) && plan.results[k].byte_size() > 0)
      std::memset(data, 0, plan.results[k].byte_size());
    buffers.results.push_back(buffer_of(plan.results[k], data));
  }
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    const Shape& shape = plan.operands[k];
    void* data = operands[k];
    const auto alias = std::ranges::find(plan.aliases, k, &std::pair<int64_t, int64_t>::second);
    const bool plain = is_row_major(shape);
    if (alias != plan.aliases.end()) {
      data = buffers.results[alias->first].data;
      if (plain && shape.byte_size() != 0) std::memcpy(data, operands[k], shape.byte_size());
    } else if (!plain) {
      HILO_ASSIGN_OR_RETURN(data, buffers.copy(shape));
    }
    if (!plain) relayout(shape, operands[k], data, false);
    buffers.operands.push_back(buffer_of(shape, data));
  }
  return ok_status();
}

Status call(const CustomCallPlan& plan, const Buffers& buffers) {
  CustomCallFrame frame;
  frame.target = plan.target;
  frame.operands = buffers.operands;
  frame.results = buffers.results;
  frame.attributes = plan.attributes;
  frame.backend_config = plan.backend_config;
  frame.context = current_run();
  try {
    return (*plan.handler)(frame);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {  // user code: exceptions must not leave the engine
    return Status(StatusCode::kInternal,
                  fmt::format("custom call {}: the handler threw: {}", quote(plan.target), error.what()));
  }
}

}  // namespace

Status run_custom_call(const CustomCallPlan& plan, void* const* operands, void* const* results) {
  Buffers buffers;
  HILO_RETURN_IF_ERROR(bring_in(plan, operands, results, buffers));
  const Status status = call(plan, buffers);
  if (!status.ok()) return status;
  for (size_t k = 0; k < plan.results.size(); ++k) {
    if (buffers.results[k].data != nullptr && buffers.results[k].data != results[k])
      relayout(plan.results[k], buffers.results[k].data, results[k], true);
  }
  return ok_status();
}

}  // namespace hilo::hlo

namespace hilo {

void clear_custom_call_results(bool clears) { hlo::clears_results = clears; }

}  // namespace hilo
