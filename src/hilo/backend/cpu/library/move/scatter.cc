// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/scatter.cc -- scatter of any number of arrays with a body over scalars: the inner loops are
// compiled. Updates of one element are applied in order, so equal indices give the same bits in every run and for any
// number of threads.
#include <algorithm>
#include <complex>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/move/scatter_places.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

using hlo::Opcode;
using runtime::convert_all, runtime::ScatterSums;

namespace {

constexpr int64_t kInCache = 1 << 20;      // bytes of arrays
constexpr int64_t kSumsInCache = 1 << 20;  // bytes of sums in double
constexpr int64_t kCacheLine = 64;         // bytes
constexpr int64_t kManyPlaces = 256;       // enough positions that four consecutive ones are likely distinct
constexpr int64_t kMaxWindows = 1 << 16;   // of a call without a list
constexpr int64_t kWideRun = 1 << 12;      // bytes; with shorter runs, threads would share too many cache lines
constexpr int64_t kColumns = 64;           // elements; threads divide a run in multiples of this

/// How threads divide the work. Each reads all indices, so that the order of updates is preserved.
enum class Split : uint8_t {
  kNone,
  kColumns,  ///< a part of all runs: all threads have the same work
  kRows,     ///< a part of the arrays
  kPieces,   ///< some pieces of all windows
};

struct Scatter {
  ScatterPlaces places;
  ScatterFunction kernel;
  ScatterFunction alone;  ///< for a single thread; null if `run` is as fast
  int64_t most_windows;   ///< per call of the kernel
  Split split;
  std::vector<size_t> bytes;  ///< of the arrays
};

struct ScatterMemory {
  void* const* arrays;
  const void* const* updates;
  const void* indices;
};

int64_t parts_of(const Scatter& scatter) {
  switch (scatter.split) {
    case Split::kNone: break;
    case Split::kColumns: return (scatter.places.run() + kColumns - 1) / kColumns;
    case Split::kRows: return scatter.places.rows();
    case Split::kPieces: return std::ssize(scatter.places.pieces());
  }
  return 1;
}

/// Restricts the call to parts [begin, end) of the work.
void restrict_to(const Scatter& scatter, int64_t begin, int64_t end, ScatterCall& call) {
  switch (scatter.split) {
    case Split::kNone: break;
    case Split::kColumns:
      call.first = {begin * kColumns, begin * kColumns};
      call.run = std::min(end * kColumns, call.run) - begin * kColumns;
      break;
    case Split::kRows:
      call.rows_begin = begin * scatter.places.row_size();
      call.rows_size = (end - begin) * scatter.places.row_size();
      break;
    case Split::kPieces:
      call.pieces += begin;
      call.piece_count = end - begin;
      break;
  }
}

/// Returns a call for all updates, to be restricted.
ScatterCall whole_call(const ScatterPlaces& places, const ScatterMemory& memory) {
  ScatterCall call{};
  call.arrays = memory.arrays;
  call.updates = memory.updates;
  call.rows_size = places.rows() * places.row_size();
  call.pieces = places.pieces().data();
  call.piece_count = std::ssize(places.pieces());
  call.run = places.run();
  return call;
}

/// Combines the updates with the arrays.
void update_all(const Scatter& scatter, const ScatterMemory& memory) {
  const ScatterPlaces& places = scatter.places;
  if (!places.any()) return;
  const int64_t parts = parts_of(scatter), tasks = std::min<int64_t>(parts, default_pool().threads());
  const bool is_alone = scatter.alone != nullptr && tasks <= 1;
  const ScatterFunction kernel = is_alone ? scatter.alone : scatter.kernel;
  const int64_t most = is_alone ? kMaxWindows : scatter.most_windows;
  in_parts(parts, tasks, [&](int64_t begin, int64_t end) {
    ScatterCall call = whole_call(places, memory);
    restrict_to(scatter, begin, end, call);
    places.each(memory.indices, call, most, kernel);
  });
}

/// Returns the updates by one thread, as data.
ProblemWriter<runtime::ScatterProblem> problem_of(const Scatter& scatter) {
  const ScatterPlaces& places = scatter.places;
  ProblemWriter<runtime::ScatterProblem> writer({});
  runtime::ScatterProblem& p = writer.problem;
  p.run = places.run();
  p.rows_size = places.rows() * places.row_size();
  p.index_bytes = places.index_bytes();
  p.most_windows = scatter.alone != nullptr ? kMaxWindows : scatter.most_windows;
  p.kernel = scatter.alone != nullptr ? 1 : 0;
  if (places.any()) writer.set(p.batch, places.batch());
  writer.set(p.components, places.components());
  writer.set(p.pieces, places.pieces());
  writer.set(p.bytes, scatter.bytes);
  return writer;
}

class ScatterHero final : public Hero {
 public:
  explicit ScatterHero(Scatter scatter) : scatter_(std::move(scatter)) {}

  bool updates_in_place() const override { return arrays() == 1; }

  Status run(void* const* buffers, const CallContext&) const override {
    void* const* results = buffers + 2 * arrays() + 1;
    for (size_t k = 0; arrays() > 1 && k < arrays(); ++k) {
      if (scatter_.bytes[k] != 0) std::memcpy(results[k], buffers[k], scatter_.bytes[k]);
    }
    update_all(scatter_, {results, buffers + arrays() + 1, buffers[arrays()]});
    return ok_status();
  }

  std::optional<RoutineCall> routine() const override {
    ProblemWriter<runtime::ScatterProblem> writer = problem_of(scatter_);
    const size_t scratch = writer.problem.scratch_bytes(false);
    return RoutineCall{runtime::Routine::kScatter, std::move(writer).finish(), 1, scratch};
  }

 private:
  size_t arrays() const { return scatter_.bytes.size(); }

  Scatter scatter_;
};

/// Small windows of arrays in the cache are updated as fast as their positions are computed.
bool is_listed(const ScatterPlaces& places, std::span<const Shape> arrays) {
  int64_t bytes = 0, window = 0;
  for (const Shape& array : arrays) {
    bytes += array.byte_size();
    window += places.run() * std::ssize(places.pieces()) * element_size_bytes(array.element_type());
  }
  return bytes > kInCache || window >= kCacheLine;
}

Split split_of(const ScatterPlaces& places, const Shape& array, const Shape& updates) {
  if (!worth_forking(work_ns(kCpuCosts.library.scattered, updates.element_count()))) return Split::kNone;
  if (places.slides()) return places.rows() > 1 ? Split::kRows : Split::kNone;  // other parts would overlap
  if (places.run() * element_size_bytes(array.element_type()) >= kWideRun) return Split::kColumns;
  if (places.rows() > 1) return Split::kRows;
  return places.pieces().size() > 1 ? Split::kPieces : Split::kNone;
}

/// Adds many floats to few. Sums start as the array, in double, and are rounded once. ScatterSums of doubles also store
/// the lost bits.
template <typename T>
class ScatterSumHero final : public Hero {
 public:
  static constexpr bool kCompensated = std::is_same_v<T, double>;

  ScatterSumHero(Scatter scatter, ScatterSums sums, int64_t numbers)
      : scatter_(std::move(scatter)), sums_(sums), numbers_(numbers) {}

  bool updates_in_place() const override { return true; }

  Status run(void* const* buffers, const CallContext&) const override {
    if (scatter_.split == Split::kRows && !kCompensated) return run_in_blocks(buffers);
    const size_t count = numbers_;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer((kCompensated ? 2 : 1) * count * sizeof(double)));
    auto* const sums = reinterpret_cast<double*>(memory.data());
    auto* const out = static_cast<T*>(buffers[3]);
    runtime::begin_sums(out, sums, sums_, count);
    void* const arrays[] = {sums, sums + runtime::sum_places(sums_, count)[1]};
    const void* const updates[] = {buffers[2], buffers[2]};
    update_all(scatter_, {arrays, updates, buffers[1]});
    runtime::end_sums(sums, out, sums_, count);
    return ok_status();
  }

  std::optional<RoutineCall> routine() const override {
    ProblemWriter<runtime::ScatterProblem> writer = problem_of(scatter_);
    runtime::ScatterProblem& p = writer.problem;
    p.sums = sums_;
    p.is_double = kCompensated;
    p.type = element_type_of<T>;
    p.numbers = numbers_;
    const size_t scratch = p.scratch_bytes(true);
    return RoutineCall{runtime::Routine::kScatterSum, std::move(writer).finish(), 1, scratch};
  }

 private:
  /// Processes blocks of rows whose sums fit in the L1 and L2 caches. Each block reads all indices.
  Status run_in_blocks(void* const* buffers) const {
    const ScatterPlaces& places = scatter_.places;
    const int64_t row = numbers_ / places.rows(), threads = default_pool().threads();
    const int64_t in_cache = std::max<int64_t>(kSumsInCache / (row * static_cast<int64_t>(sizeof(double))), 1);
    const int64_t rows = std::min(in_cache, (places.rows() + threads - 1) / threads);
    const int64_t blocks = (places.rows() + rows - 1) / rows, tasks = std::min(blocks, threads);
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(tasks * rows * row * sizeof(double)));
    run_tasks(default_pool(), tasks, [&](int64_t t) {
      double* const sums = reinterpret_cast<double*>(memory.data()) + t * rows * row;
      for (int64_t b = blocks * t / tasks; b < blocks * (t + 1) / tasks; ++b)
        sum_block(buffers, sums, b * rows, std::min((b + 1) * rows, places.rows()));
    });
    return ok_status();
  }

  void sum_block(void* const* buffers, double* sums, int64_t begin, int64_t end) const {
    const ScatterPlaces& places = scatter_.places;
    const int64_t row = numbers_ / places.rows();
    T* const out = static_cast<T*>(buffers[3]) + begin * row;
    const size_t count = (end - begin) * row;
    convert_all(out, sums, count);
    // The kernel addresses from the array's beginning, where none of its windows are.
    const auto skipped = static_cast<uintptr_t>(begin * row) * sizeof(double);
    void* const arrays[] = {reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(sums) - skipped)};
    const void* const updates[] = {buffers[2]};
    ScatterCall call = whole_call(places, {arrays, updates, buffers[1]});
    restrict_to(scatter_, begin, end, call);
    places.each(buffers[1], call, scatter_.most_windows, scatter_.kernel);
    convert_all(sums, out, count);
  }

  Scatter scatter_;
  ScatterSums sums_;
  int64_t numbers_;  ///< of the array: a complex element has two
};

/// Returns (sum, x) -> sum + x.
StatusOr<hlo::ComputationPtr> sum_body(ElementType type) {
  hlo::Builder b("sum");
  const hlo::InstructionId sum = b.parameter(Shape::scalar(type)), x = b.parameter(Shape::scalar(type));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId next, b.add(Opcode::kAdd, {sum, x}));
  return std::move(b).build(next);
}

/// Returns (sum, lost, x, x) -> (next, lost + the error of next), as in CompensatedSum.
StatusOr<hlo::ComputationPtr> compensated_sum_body(ElementType type) {
  hlo::Builder b("sum");
  const Shape shape = Shape::scalar(type);
  const hlo::InstructionId sum = b.parameter(shape), lost = b.parameter(shape), x = b.parameter(shape);
  b.parameter(shape);
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId next, b.add(Opcode::kAdd, {sum, x}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId lost_part, b.add(Opcode::kSubtract, {next, sum}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId kept, b.add(Opcode::kSubtract, {next, lost_part}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId of_sum, b.add(Opcode::kSubtract, {sum, kept}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId of_x, b.add(Opcode::kSubtract, {x, lost_part}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId of_both, b.add(Opcode::kAdd, {of_sum, of_x}));
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId all_lost, b.add(Opcode::kAdd, {lost, of_both}));
  return std::move(b).build(b.tuple({next, all_lost}));
}

template <typename T>
std::unique_ptr<Hero> sum_hero(Scatter scatter, ScatterSums sums, int64_t numbers) {
  return std::make_unique<ScatterSumHero<T>>(std::move(scatter), sums, numbers);
}

std::unique_ptr<Hero> sum_hero(ElementType type, Scatter scatter, ScatterSums sums, int64_t elements) {
  return visit_element_type(
      type,
      [&]<typename T>() -> std::unique_ptr<Hero> {
        if constexpr (is_floating(element_type_of<T>)) return sum_hero<T>(std::move(scatter), sums, elements);
        else if constexpr (is_complex(element_type_of<T>))
          return sum_hero<typename T::value_type>(std::move(scatter), sums, 2 * elements);
        else return nullptr;
      },
      []() -> std::unique_ptr<Hero> { return nullptr; });
}

/// Single doubles are stored in pairs, so that an update accesses one cache line.
ScatterSums sums_of(const ScatterPlaces& places, const Shape& array) {
  const ElementType type = array.element_type();
  if (type != ElementType::kF64) return type == ElementType::kC128 ? ScatterSums::kLost : ScatterSums::kWide;
  const bool single = places.run() == 1 && places.pieces().size() == 1;
  return single && array.element_count() >= kManyPlaces ? ScatterSums::kPairs : ScatterSums::kLost;
}

/// Converts positions of single elements to those of pairs: an array with one more dimension, of which windows have the
/// first element.
ScatterPlaces places_of_pairs(hlo::ScatterAttributes attributes, const Shape& array, const Shape& indices,
                              const Shape& updates) {
  std::vector<int64_t> dimensions(array.dimensions().begin(), array.dimensions().end());
  attributes.inserted_window_dims.push_back(array.rank());
  dimensions.push_back(2);
  return {attributes, Shape::array(array.element_type(), dimensions), indices, updates};
}

/// Whether one thread uses another kernel than the listed one. A list of single elements costs more than it saves.
bool is_faster_alone(const ScatterKernelSpec& spec) { return spec.listed && spec.run == 1 && !spec.many_pieces; }

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_scatter_hero(const HeroRequest& request) {
  const std::span<const Shape> operands = request.problem.operands;
  const auto& a = hlo::attributes_of<hlo::ScatterAttributes>(request.problem.instruction);
  const size_t n = operands.size() / 2;
  const ElementType index_type = operands[n].element_type(), type = operands[0].element_type();
  if (!is_integer(index_type) || !engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  Scatter scatter{
      ScatterPlaces(a, operands[0], operands[n], operands[n + 1]), nullptr, nullptr, kMaxWindows, Split::kNone, {}};
  for (const Shape& array : operands.first(n)) scatter.bytes.push_back(array.byte_size());
  ScatterPlaces& places = scatter.places;
  if (!places.any()) return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(std::move(scatter)));
  const bool sums = n == 1 && hlo::sums_many(a, operands[0], operands[n + 1]);
  const ScatterSums kept = sums ? sums_of(places, operands[0]) : ScatterSums::kWide;
  if (kept == ScatterSums::kPairs) places = places_of_pairs(a, operands[0], operands[n], operands[n + 1]);
  ScatterKernelSpec spec{a.to_apply,
                         {},
                         {},
                         index_type,
                         places.components(),
                         places.index_stride(),
                         places.stride(),
                         places.run(),
                         places.pieces().size() > 1,
                         is_listed(places, operands.first(n)),
                         false,
                         kept == ScatterSums::kPairs};
  if (spec.listed) {
    scatter.split = split_of(places, operands[0], operands[n + 1]);
    scatter.most_windows = kMaxScatterUpdates;
    spec.far = !sums || kept != ScatterSums::kWide || scatter.split != Split::kRows;  // otherwise in blocks
  }
  for (const Shape& array : operands.first(n)) spec.types.push_back(array.element_type());
  spec.update_types = spec.types;
  if (sums) {
    const ElementType wide = is_complex(type) ? ElementType::kC128 : ElementType::kF64;
    const size_t arrays = wide == type ? 2 : 1;
    HILO_ASSIGN_OR_RETURN(spec.body, wide == type ? compensated_sum_body(type) : sum_body(wide));
    spec.types.assign(arrays, wide);
    spec.update_types.assign(arrays, type);
  }
  HILO_ASSIGN_OR_RETURN(scatter.kernel, request.code.scatter_kernel(spec));
  if (is_faster_alone(spec)) {
    spec.listed = false;
    spec.far = true;
    HILO_ASSIGN_OR_RETURN(scatter.alone, request.code.scatter_kernel(spec));
  }
  if (sums) return sum_hero(type, std::move(scatter), kept, operands[0].element_count());
  return std::unique_ptr<Hero>(std::make_unique<ScatterHero>(std::move(scatter)));
}

}  // namespace hilo::cpu
