// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/scatter.cc -- scatter of any number of arrays whose body is over scalars: the inner loops are
// compiled. Updates of one place are applied in order, so equal indices give the same bits on every run and any number of
// threads.
#include <cstring>

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/emit/scatter_kernel.h"
#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/runtime/parallel.h"
#include "hilo/backend/cpu/runtime/scatter_places.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kWorthForking = 1 << 15;  // updated elements
constexpr int64_t kInCache = 1 << 20;       // bytes of arrays
constexpr int64_t kCacheLine = 64;          // bytes
constexpr int64_t kWideRun = 1 << 12;       // bytes; of shorter runs, threads would share too many cache lines
constexpr int64_t kColumns = 64;            // elements; what threads take of a run is made of

/// What each thread takes; each looks at all indices, so that the order of the updates stays.
enum class Split : uint8_t {
  kNone,
  kColumns,  ///< a part of all runs: all threads have as much to do
  kRows,     ///< a part of the arrays
  kPieces,   ///< some pieces of all windows
};

struct Scatter {
  ScatterPlaces places;
  ScatterKernel kernel;
  Split split;
  std::vector<size_t> bytes;  ///< of the arrays
};

int64_t parts_of(const Scatter& scatter) {
  switch (scatter.split) {
    case Split::kNone: break;
    case Split::kColumns: return (scatter.places.run() + kColumns - 1) / kColumns;
    case Split::kRows: return scatter.places.rows();
    case Split::kPieces: return static_cast<int64_t>(scatter.places.pieces().size());
  }
  return 1;
}

/// The parts [begin, end) of the work.
void restrict_to(const Scatter& scatter, int64_t begin, int64_t end, ScatterStretch& stretch) {
  switch (scatter.split) {
    case Split::kNone: break;
    case Split::kColumns:
      stretch.first = {begin * kColumns, begin * kColumns};
      stretch.run = std::min(end * kColumns, stretch.run) - begin * kColumns;
      break;
    case Split::kRows:
      stretch.rows_begin = begin * scatter.places.row_size();
      stretch.rows_size = (end - begin) * scatter.places.row_size();
      break;
    case Split::kPieces:
      stretch.pieces += begin;
      stretch.piece_count = end - begin;
      break;
  }
}

class ScatterHero final : public Hero {
 public:
  explicit ScatterHero(Scatter scatter) : scatter_(std::move(scatter)) {}

  bool updates_in_place() const override { return arrays() == 1; }

  Status run(void* const* buffers, RunContext&) const override {
    void* const* results = buffers + 2 * arrays() + 1;
    for (size_t k = 0; arrays() > 1 && k < arrays(); ++k) {
      if (scatter_.bytes[k] != 0) std::memcpy(results[k], buffers[k], scatter_.bytes[k]);
    }
    if (!scatter_.places.any()) return ok_status();
    const int64_t parts = parts_of(scatter_);
    in_parts(parts, std::min<int64_t>(parts, default_pool().threads()),
             [&](int64_t begin, int64_t end) { update(buffers, begin, end); });
    return ok_status();
  }

 private:
  size_t arrays() const { return scatter_.bytes.size(); }

  void update(void* const* buffers, int64_t begin, int64_t end) const {
    const ScatterPlaces& places = scatter_.places;
    ScatterStretch stretch{};
    stretch.arrays = buffers + 2 * arrays() + 1;
    stretch.updates = buffers + arrays() + 1;
    stretch.rows_size = places.rows() * places.row_size();
    stretch.pieces = places.pieces().data();
    stretch.piece_count = static_cast<int64_t>(places.pieces().size());
    stretch.run = places.run();
    restrict_to(scatter_, begin, end, stretch);
    places.each(buffers[arrays()], stretch, scatter_.kernel.function);
  }

  Scatter scatter_;
};

/// Small windows of arrays in the cache are updated as fast as their places are found.
bool is_listed(const ScatterPlaces& places, std::span<const Shape> arrays) {
  int64_t bytes = 0, window = 0;
  for (const Shape& array : arrays) {
    bytes += array.byte_size();
    window += places.run() * static_cast<int64_t>(places.pieces().size()) * element_size_bytes(array.element_type());
  }
  return bytes > kInCache || window >= kCacheLine;
}

Split split_of(const ScatterPlaces& places, const Shape& array, const Shape& updates) {
  if (updates.element_count() <= kWorthForking) return Split::kNone;
  if (places.run() * element_size_bytes(array.element_type()) >= kWideRun) return Split::kColumns;
  if (places.rows() > 1) return Split::kRows;
  return places.pieces().size() > 1 ? Split::kPieces : Split::kNone;
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_scatter_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                                  Isa isa) {
  const auto& a = hlo::attributes_of<hlo::ScatterAttributes>(instruction);
  const size_t n = operands.size() / 2;
  const ElementType index_type = operands[n].element_type();
  if (!is_integer(index_type) || !is_scalar_program(*a.to_apply)) return std::unique_ptr<Hero>();
  Scatter scatter{ScatterPlaces(a, operands[0], operands[n], operands[n + 1]), {}, Split::kNone, {}};
  for (const Shape& array : operands.first(n)) scatter.bytes.push_back(static_cast<size_t>(array.byte_size()));
  const ScatterPlaces& places = scatter.places;
  if (!places.any()) return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(std::move(scatter)));
  ScatterKernelSpec spec{a.to_apply,
                         {},
                         index_type,
                         places.components(),
                         places.index_stride(),
                         places.stride(),
                         places.run(),
                         places.pieces().size() > 1,
                         is_listed(places, operands.first(n))};
  if (spec.listed) scatter.split = split_of(places, operands[0], operands[n + 1]);
  for (const Shape& array : operands.first(n)) spec.types.push_back(array.element_type());
  HILO_ASSIGN_OR_RETURN(scatter.kernel, compile_scatter_kernel(spec, isa));
  return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(std::move(scatter)));
}

}  // namespace hilo::cpu
