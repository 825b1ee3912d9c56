// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/scatter_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/scalar_emitter.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr size_t kMaxWideOps = 64;       // ops of a body that is written for each power of two up to the lanes
constexpr int64_t kUnrolled = 8;         // vectors of a run that are unrolled
constexpr int64_t kCacheLine = 64;       // bytes
constexpr int64_t kMaxPrefetched = 512;  // bytes of a run; the hardware prefetcher follows longer ones
constexpr int kGroup = 4;                // windows of one element per turn
constexpr int64_t kBytesAhead = 2048;    // measured; 4 to 32 windows

/// Returns the lanes with which elements of the arrays go through the body.
int lanes_for(const ScatterKernelSpec& spec, Isa isa) {
  if (spec.run == 1 || spec.body->size() > kMaxWideOps) return 1;
  for (const hlo::Instruction& i : spec.body->instructions()) {
    if (!called_computations(i).empty()) return 1;
  }
  int lanes = natural_lanes(isa, spec.types[0]);
  for (ElementType type : spec.types) lanes = std::min(lanes, natural_lanes(isa, type));
  return lanes;
}

/// Returns the run's length if the code is for that length only.
std::optional<int64_t> fixed_run(const ScatterKernelSpec& spec, Isa isa) {
  if (spec.run / lanes_for(spec, isa) > kUnrolled) return std::nullopt;
  return spec.run;
}

bool is_known(int64_t stride) { return stride == 0 || stride == 1; }

class ScatterEmitter {
 public:
  ScatterEmitter(SimdBuilder& b, const ScatterKernelSpec& spec, Value* call)
      : b_(b), ir_(b.ir()), spec_(spec), fixed_run_(fixed_run(spec, b.isa())), call_(call) {}

  Status emit() {
    load_fields();
    if (spec_.listed) emit_listed();
    else emit_at_once();
    return status_;
  }

 private:
  struct Place {
    Value *array, *update;
  };
  struct Component {
    Value *indices, *array_stride, *last;  // the first vector's
  };

  Value* load(llvm::Type* type, Value* base, size_t offset) {
    return ir_.CreateLoad(type, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, offset));
  }
  Value* number(size_t offset) { return load(ir_.getInt64Ty(), call_, offset); }
  Value* pointer(size_t offset) { return load(ir_.getPtrTy(), call_, offset); }
  Place place(size_t offset) {
    return {number(offset + offsetof(ScatterPlace, array)), number(offset + offsetof(ScatterPlace, update))};
  }

  Value* known(int64_t stride, Value* loaded) { return is_known(stride) ? b_.index(stride) : loaded; }
  void load_fields() {
    Value *arrays = pointer(offsetof(ScatterCall, arrays)), *updates = pointer(offsetof(ScatterCall, updates));
    for (size_t k = 0; k < spec_.types.size(); ++k) {
      arrays_.push_back(load(ir_.getPtrTy(), arrays, k * sizeof(void*)));
      updates_.push_back(load(ir_.getPtrTy(), updates, k * sizeof(void*)));
    }
    Value* indices = pointer(offsetof(ScatterCall, indices));
    Value* components = pointer(offsetof(ScatterCall, components));
    for (size_t k = 0; k < spec_.components.size(); ++k) {
      const auto field = [&](size_t at) {
        return load(ir_.getInt64Ty(), components, k * sizeof(ScatterComponent) + at);
      };
      Value* first = ir_.CreateGEP(b_.memory_scalar(spec_.index_type), indices, field(offsetof(ScatterComponent, at)));
      Value* array_stride = field(offsetof(ScatterComponent, array_stride));
      components_.push_back(
          {first, known(spec_.components[k].array_stride, array_stride), field(offsetof(ScatterComponent, last))});
    }
    count_ = number(offsetof(ScatterCall, count));
    index_stride_ = known(spec_.index_stride, number(offsetof(ScatterCall, index_stride)));
    first_ = place(offsetof(ScatterCall, first));
    const Place stride = place(offsetof(ScatterCall, stride));
    stride_ = {known(spec_.stride.array, stride.array), known(spec_.stride.update, stride.update)};
    pieces_ = pointer(offsetof(ScatterCall, pieces));
    piece_count_ = number(offsetof(ScatterCall, piece_count));
    run_ = number(offsetof(ScatterCall, run));
  }

  Value* component_at(const Component& component, Value* at) {
    Value* index = b_.load_scalar(spec_.index_type, component.indices, at);
    return ir_.CreateIntCast(index, ir_.getInt64Ty(), is_signed_integer(spec_.index_type));
  }
  /// Returns the start of a window. `at`: its start for an index vector of zeros, and the address of the index vector.
  Place place_at(const Values& at) {
    Place place = {at[0], at[1]};
    for (const Component& component : components_) {
      Value* index = component_at(component, at[2]);
      place.array = ir_.CreateAdd(place.array, ir_.CreateMul(index, component.array_stride));
    }
    return place;
  }
  /// Whether it is in bounds (i1). Negative indices, and those past int64, exceed the last start as unsigned numbers.
  Value* fits_at(const Values& at) {
    Value* fits = ir_.getTrue();
    for (const Component& component : components_)
      fits = ir_.CreateAnd(fits, ir_.CreateICmpULE(component_at(component, at[2]), component.last));
    return fits;
  }
  Values first_window() { return {first_.array, first_.update, b_.index(0)}; }
  Values next_window(const Values& at) {
    return {ir_.CreateAdd(at[0], stride_.array), ir_.CreateAdd(at[1], stride_.update),
            ir_.CreateAdd(at[2], index_stride_)};
  }

  /// Calls use(start, whether it is in bounds (i1), carried) for each window from number `begin` on. The first one is
  /// at `start`.
  template <typename Use>
  Value* for_each_window(Value* begin, Values start, Value* initial, const Use& use) {
    start.push_back(initial);
    return b_.counted_loop(begin, count_, b_.index(1), start, [&](Value*, const Values& at) {
      Value* carried = use(place_at(at), fits_at(at), at[3]);
      Values next = next_window(at);
      next.push_back(carried);
      return next;
    })[3];
  }

  void emit_at_once() {
    Value* begin = b_.index(0);
    if (uses_groups()) prepare_groups();
    Values start = first_window();
    if (uses_groups() && spec_.far) {
      Value* not_prefetched = b_.index(windows_ahead() + kGroup - 1);
      Value* end = ir_.CreateAnd(ir_.CreateSub(count_, not_prefetched), b_.index(-kGroup));
      Value* prefetched_end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, end, begin);
      start = emit_groups(begin, prefetched_end, start, true);
      begin = prefetched_end;
    }
    if (uses_groups()) {
      Value* end = ir_.CreateAnd(count_, b_.index(-kGroup));
      start = emit_groups(begin, end, start, false);
      begin = end;
    }
    for_each_window(begin, start, b_.index(0), [&](const Place& window, Value* fits, Value* carried) {
      b_.branch(fits, [&] { emit_window(window); });
      return carried;
    });
  }

  /// Whether windows are single elements with consecutive updates.
  bool uses_groups() const {
    return spec_.run == 1 && !spec_.many_pieces && spec_.stride.update == 1 && !is_complex(spec_.types[0]);
  }

  /// Emits the loop invariants: the arrays' starts, and the last index in bounds as lanes of its type.
  void prepare_groups() {
    if (!has_plain_indices()) return;
    for (size_t k = 0; k < arrays_.size(); ++k)
      arrays_[k] = ir_.CreateGEP(b_.memory_scalar(spec_.types[k]), arrays_[k], first_.array);
    first_.array = b_.index(0);
    llvm::Type* type = b_.register_scalar(spec_.index_type);
    const unsigned bits = type->getIntegerBitWidth() - (is_signed_integer(spec_.index_type) ? 1 : 0);
    Value* most = b_.index(~uint64_t{0} >> (64 - bits));
    Value* last = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, components_[0].last, most);
    last_index_ = with_lanes(b_, kGroup).splat(ir_.CreateTrunc(last, type));
  }

  /// Emits windows from number `begin` to `end`, one group per turn. This shares the cost of a turn, and most groups
  /// need one test instead of one per window. `prefetches`: whether to prefetch the memory of later windows.
  Values emit_groups(Value* begin, Value* end, const Values& start, bool prefetches) {
    return b_.counted_loop(begin, end, b_.index(kGroup), start, [&](Value*, const Values& first) {
      std::vector<Values> windows = {first};
      if (prefetches) ask_for_group(first);
      while (windows.size() < kGroup) windows.push_back(next_window(windows.back()));
      const auto plain = [&] {
        if (runs_in_parallel()) emit_in_parallel(windows);
        else emit_in_order(windows, true);
      };
      b_.branch(is_plain(windows), plain, [&] { emit_in_order(windows, false); });
      return next_window(windows.back());
    });
  }

  void ask_for_group(const Values& first) {
    Values at = first;
    for (int64_t k = 0; k < windows_ahead(); ++k) at = next_window(at);
    for (int k = 0; k < kGroup; ++k, at = next_window(at)) {
      const Place place = place_at(at);
      for (size_t a = 0; a < arrays_.size(); ++a) prefetch(spec_.types[a], arrays_[a], place.array, true);
    }
  }

  /// Whether the index vectors of a group are contiguous numbers that determine the windows alone.
  bool has_plain_indices() const {
    return spec_.components.size() == 1 && spec_.index_stride == 1 && spec_.stride.array == 0;
  }
  bool is_float_extreme() const {
    const hlo::ReducerKind kind = spec_.body->reducer_kind();
    return is_floating(spec_.types[0]) && (kind == hlo::ReducerKind::kMaximum || kind == hlo::ReducerKind::kMinimum);
  }
  bool runs_in_parallel() const { return spec_.pairs && has_plain_indices(); }

  /// Whether all windows of the group are in bounds and can use the shorter code of emit_groups (i1).
  Value* is_plain(const std::vector<Values>& windows) {
    SimdBuilder group = with_lanes(b_, kGroup);
    Value* plain = has_plain_indices() ? have_plain_places(group, windows[0]) : fits_at(windows[0]);
    for (size_t k = 1; k < windows.size() && !has_plain_indices(); ++k)
      plain = ir_.CreateAnd(plain, fits_at(windows[k]));
    if (!is_float_extreme()) return plain;
    Value* update = load_update(group, 0, windows[0][1]);
    Value* is_hard = ir_.CreateFCmpUEQ(update, llvm::Constant::getNullValue(update->getType()));
    return ir_.CreateAnd(plain, ir_.CreateNot(group.any(is_hard)));
  }
  /// Whether all windows are in bounds, and distinct if they are updated in parallel.
  Value* have_plain_places(SimdBuilder& group, const Values& first) {
    Value* indices = group.load(spec_.index_type, components_[0].indices, first[2]);
    Value* is_bad = ir_.CreateICmpUGT(indices, last_index_);
    if (runs_in_parallel()) {
      for (const std::vector<int>& other : {std::vector<int>{1, 2, 3, 0}, std::vector<int>{2, 3, 0, 1}})
        is_bad = ir_.CreateOr(is_bad, ir_.CreateICmpEQ(indices, ir_.CreateShuffleVector(indices, other)));
    }
    return ir_.CreateNot(group.any(is_bad));
  }

  /// Emits one window after the other; updates are converted in parallel. If `plain`, the windows need no further
  /// tests.
  void emit_in_order(const std::vector<Values>& windows, bool plain) {
    SimdBuilder group = with_lanes(b_, kGroup);
    Values updates;
    for (size_t k = 0; k < updates_.size(); ++k)
      updates.push_back(is_converted(k) ? load_update(group, k, windows[0][1]) : nullptr);
    for (uint64_t lane = 0; lane < kGroup; ++lane) {
      const Place place = place_at(windows[lane]);
      const auto update = [&] {
        Values own;
        for (size_t k = 0; k < updates.size(); ++k) {
          own.push_back(updates[k] == nullptr ? load_update(b_, k, place.update)
                                              : ir_.CreateExtractElement(updates[k], lane));
        }
        if (plain && is_float_extreme()) emit_extreme(place, own[0]);
        else combine(b_, place, own);
      };
      if (plain) update();
      else b_.branch(fits_at(windows[lane]), update);
    }
  }

  /// Emits the larger or smaller of an element and an update that is neither NaN nor zero. One instruction is enough: a
  /// NaN element stays NaN, and there are never two zeros.
  void emit_extreme(const Place& place, Value* update) {
    const bool is_maximum = spec_.body->reducer_kind() == hlo::ReducerKind::kMaximum;
    Value* element = b_.load(spec_.types[0], arrays_[0], place.array);
    Value* is_beyond = is_maximum ? ir_.CreateFCmpOGT(update, element) : ir_.CreateFCmpOLT(update, element);
    b_.store(spec_.types[0], ir_.CreateSelect(is_beyond, update, element), arrays_[0], place.array);
  }

  /// Updates pairs at distinct windows.
  ///     a0 b0 | a1 b1 | a2 b2 | a3 b3   in memory
  ///     a0 b0 a2 b2, a1 b1 a3 b3        halves of pairs
  ///     a0 a1 a2 a3, b0 b1 b2 b3        operands of the body
  void emit_in_parallel(const std::vector<Values>& windows) {
    SimdBuilder group = with_lanes(b_, kGroup), pair = with_lanes(b_, 2);
    const ElementType type = spec_.types[0];
    const std::vector<int> first = {0, 4, 2, 6}, second = {1, 5, 3, 7}, both = {0, 1, 2, 3};
    Values places, pairs, halves;
    for (const Values& window : windows) {
      places.push_back(place_at(window).array);
      pairs.push_back(pair.load(type, arrays_[0], places.back()));
    }
    for (size_t k : {0, 1}) halves.push_back(ir_.CreateShuffleVector(pairs[k], pairs[k + 2], both));
    std::vector<Values> arguments = {{ir_.CreateShuffleVector(halves[0], halves[1], first)},
                                     {ir_.CreateShuffleVector(halves[0], halves[1], second)}};
    for (size_t k = 0; k < updates_.size(); ++k) arguments.push_back({load_update(group, k, windows[0][1])});
    const Values results = emit_body(group, arguments);
    for (size_t k : {0, 1}) {
      Value* half = ir_.CreateShuffleVector(results[0], results[1], k == 0 ? first : second);
      pair.store(type, ir_.CreateShuffleVector(half, {0, 1}), arrays_[0], places[k]);
      pair.store(type, ir_.CreateShuffleVector(half, {2, 3}), arrays_[0], places[k + 2]);
    }
  }

  void emit_listed() {
    Value* list = b_.stack(kMaxScatterUpdates * static_cast<int64_t>(sizeof(ScatterPlace)));
    Value* listed = emit_list(list);
    Value* last = ir_.CreateSub(listed, b_.index(1));
    b_.for_each(b_.index(0), listed, b_.index(1), [&](Value* k) {
      Value* ahead = ir_.CreateAdd(k, b_.index(windows_ahead()));
      prefetch(read_from(list, ir_.CreateSelect(ir_.CreateICmpULT(ahead, last), ahead, last)));
      emit_window(read_from(list, k));
    });
  }

  /// Returns how many windows ahead memory is prefetched.
  int64_t windows_ahead() const {
    return std::clamp(kBytesAhead / (spec_.run * element_size_bytes(spec_.types[0])), int64_t{4}, int64_t{32});
  }

  /// Lists the positions of the windows that this call updates. Returns their number.
  Value* emit_list(Value* list) {
    Value* rows_begin = number(offsetof(ScatterCall, rows_begin));
    Value* rows_size = number(offsetof(ScatterCall, rows_size));
    return for_each_window(b_.index(0), first_window(), b_.index(0),
                           [&](const Place& window, Value* fits, Value* listed) {
                             Value* is_here = ir_.CreateICmpULT(ir_.CreateSub(window.array, rows_begin), rows_size);
                             Value* entry = entry_of(list, listed);
                             ir_.CreateStore(window.array, entry);
                             ir_.CreateStore(window.update, ir_.CreateConstGEP1_64(ir_.getInt64Ty(), entry, 1));
                             Value* is_taken = ir_.CreateAnd(fits, is_here);
                             return ir_.CreateAdd(listed, ir_.CreateZExt(is_taken, ir_.getInt64Ty()));
                           });
  }

  /// Prefetches the first piece of a later window, but no more than the L1 cache holds.
  void prefetch(const Place& window) {
    for (size_t k = 0; k < arrays_.size(); ++k) {
      if (spec_.far) prefetch_run(spec_.types[k], arrays_[k], window.array, true);
      prefetch_run(spec_.update_types[k], updates_[k], window.update, false);
    }
  }
  void prefetch_run(ElementType type, Value* base, Value* begin, bool to_write) {
    const int64_t size = element_size_bytes(type), line = std::max(int64_t{1}, kCacheLine / size);
    for (int64_t at = 0; at < std::min(spec_.run, kMaxPrefetched / size); at += line)
      prefetch(type, base, ir_.CreateAdd(begin, b_.index(at)), to_write);
  }
  void prefetch(ElementType type, Value* base, Value* at, bool to_write) {
    constexpr unsigned kMaxLocal = 3, kData = 1;
    Value* address = ir_.CreateGEP(b_.memory_scalar(type), base, at);
    ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                        {address, ir_.getInt32(to_write), ir_.getInt32(kMaxLocal), ir_.getInt32(kData)});
  }

  void emit_window(const Place& window) {
    if (!spec_.many_pieces) return emit_run(window);
    b_.for_each(b_.index(0), piece_count_, b_.index(1),
                [&](Value* p) { emit_run(moved(window, read_from(pieces_, p))); });
  }

  Value* entry_of(Value* list, Value* k) { return ir_.CreateGEP(ir_.getInt64Ty(), list, ir_.CreateShl(k, 1)); }
  Place read_from(Value* list, Value* k) {
    Value* entry = entry_of(list, k);
    return {load(ir_.getInt64Ty(), entry, offsetof(ScatterPlace, array)),
            load(ir_.getInt64Ty(), entry, offsetof(ScatterPlace, update))};
  }
  Place moved(const Place& place, const Place& by) {
    return {ir_.CreateAdd(place.array, by.array), ir_.CreateAdd(place.update, by.update)};
  }

  /// Emits whole vectors, then the remainder in halves of a vector, quarters, ... one element. This needs no mask and
  /// accesses no byte outside of the run.
  void emit_run(const Place& place) {
    if (fixed_run_) return emit_fixed_run(place);
    Value* whole = ir_.CreateAnd(run_, b_.index(-b_.lanes()));
    b_.for_each(b_.index(0), whole, b_.index(b_.lanes()),
                [&](Value* at) { combine(b_.lanes(), moved(place, {at, at})); });
    for (int lanes = b_.lanes() / 2; lanes > 0; lanes /= 2) {
      Value* is_left = ir_.CreateICmpNE(ir_.CreateAnd(run_, b_.index(lanes)), b_.index(0));
      b_.branch(is_left, [&] {
        Value* at = ir_.CreateAnd(run_, b_.index(-2 * lanes));
        combine(lanes, moved(place, {at, at}));
      });
    }
  }

  void emit_fixed_run(const Place& place) {
    int64_t at = 0;
    for (int lanes = b_.lanes(); lanes > 0; lanes /= 2) {
      for (; *fixed_run_ - at >= lanes; at += lanes) combine(lanes, moved(place, {b_.index(at), b_.index(at)}));
    }
  }

  bool is_converted(size_t k) const { return spec_.update_types[k] != spec_.types[k]; }

  /// Loads elements of the updates of array k, converted to the array's type.
  Value* load_update(SimdBuilder& b, size_t k, Value* at) {
    Value* loaded = b.load(spec_.update_types[k], updates_[k], at);
    return is_converted(k) ? emit_convert(b, spec_.update_types[k], spec_.types[k], loaded) : loaded;
  }

  /// Combines `lanes` elements from `place` on.
  void combine(int lanes, const Place& place) {
    SimdBuilder b = with_lanes(b_, lanes);
    Values updates;
    for (size_t k = 0; k < updates_.size(); ++k) updates.push_back(load_update(b, k, place.update));
    combine(b, place, updates);
  }
  void combine(SimdBuilder& b, const Place& place, const Values& updates) {
    std::vector<Values> arguments;
    for (size_t k = 0; k < arrays_.size(); ++k) arguments.push_back({b.load(spec_.types[k], arrays_[k], place.array)});
    for (Value* update : updates) arguments.push_back({update});
    const Values results = emit_body(b, arguments);
    for (size_t k = 0; k < arrays_.size(); ++k) b.store(spec_.types[k], results[k], arrays_[k], place.array);
  }

  Values emit_body(SimdBuilder& b, const std::vector<Values>& arguments) {
    ScalarEmitter emitter(b);
    Values results = emitter.emit(*spec_.body, arguments);
    if (status_.ok()) status_ = emitter.status();
    return results;
  }

  SimdBuilder& b_;
  llvm::IRBuilder<>& ir_;
  const ScatterKernelSpec& spec_;
  std::optional<int64_t> fixed_run_;
  Value* call_;
  Values arrays_, updates_;
  std::vector<Component> components_;
  Value *count_ = nullptr, *index_stride_ = nullptr, *pieces_ = nullptr, *piece_count_ = nullptr, *run_ = nullptr;
  Place first_{}, stride_{};
  Value* last_index_ = nullptr;
  Status status_;
};

Status emit_kernel(const ScatterKernelSpec& spec, Isa isa, llvm::Module& module) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* function = begin_function(ir, module, ScatterKernel::kName, ir.getVoidTy(), {ir.getPtrTy()});
  SimdBuilder b(ir, isa, lanes_for(spec, isa));
  HILO_RETURN_IF_ERROR(ScatterEmitter(b, spec, function->getArg(0)).emit());
  ir.CreateRetVoid();
  return ok_status();
}

StatusOr<ScatterKernel> compile(const ScatterKernelSpec& spec, Isa isa, CodeLevel level) {
  const auto emit = [&](llvm::Module& module) { return emit_kernel(spec, isa, module); };
  ScatterKernel kernel;
  HILO_ASSIGN_OR_RETURN(kernel.code, compile_code(ScatterKernel::kName, isa, level, emit));
  kernel.function = reinterpret_cast<decltype(kernel.function)>(kernel.code->lookup(ScatterKernel::kName));
  return kernel;
}

/// Returns the maximum run with code for its length. Longer runs share code.
int64_t longest_known_run(const ScatterKernelSpec& spec) {
  int64_t longest = 0;
  for (ElementType type : spec.types) longest = std::max(longest, kMaxPrefetched / element_size_bytes(type));
  return longest;
}

/// Returns the text on which the code depends. The body's fingerprint includes the arrays' types, which are those of
/// its parameters.
std::string key_of(const ScatterKernelSpec& spec, Isa isa) {
  const hlo::Fingerprint body = spec.body->fingerprint();
  std::string key = fmt::format("{} {:x} {:x} {} {} {} {} {} {}", isa_name(isa), body.high, body.low,
                                element_type_name(spec.index_type), std::min(spec.run, longest_known_run(spec)),
                                spec.many_pieces, spec.listed, spec.far, spec.pairs);
  const auto add = [&](int64_t stride) { key += is_known(stride) ? fmt::format(" {}", stride) : " *"; };
  for (int64_t stride : {spec.index_stride, spec.stride.array, spec.stride.update}) add(stride);
  for (const ScatterComponent& component : spec.components) add(component.array_stride);
  for (ElementType type : spec.update_types) key.append(" ").append(element_type_name(type));
  return key;
}

}  // namespace

StatusOr<ScatterKernel> compile_scatter_kernel(const ScatterKernelSpec& spec, Isa isa) {
  constexpr double kSeconds = 3e-3;  // of a kernel
  static auto* const cache = new CodeCache<ScatterKernel>;
  return find_or_compile(*cache, key_of(spec, isa), kSeconds,
                         [&](CodeLevel level) { return compile(spec, isa, level); });
}

}  // namespace hilo::cpu
