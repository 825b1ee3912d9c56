// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/local_op.h"

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {
namespace {

using Ways = std::vector<LocalWay>;

bool any_has(const std::vector<ArrayFactors>& arrays, size_t factor) {
  return std::ranges::any_of(arrays, [&](const ArrayFactors& array) { return has_factor(array, factor); });
}

Ways whole(const ShardingRule& rule) { return Ways(rule.factors.size(), LocalWay::kWhole); }

/// Factors that pass, from an operand to a result.
Ways passing(const ShardingRule& rule) {
  Ways ways = whole(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    if (rule.factors[f].kind == FactorKind::kPass && any_has(rule.operands, f) && any_has(rule.results, f))
      ways[f] = LocalWay::kPart;
  }
  return ways;
}

/// A new dimension has the same everywhere.
Ways broadcasting(const ShardingRule& rule) { return Ways(rule.factors.size(), LocalWay::kPart); }

Ways summing(const ShardingRule& rule, bool adds_up) {
  Ways ways = passing(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    if (adds_up && rule.factors[f].kind == FactorKind::kReduction) ways[f] = LocalWay::kPartial;
  }
  return ways;
}

Ways reducing(const Instruction& instruction, const ShardingRule& rule) {
  const ReducerKind kind = attributes_of<ReduceAttributes>(instruction).to_apply->reducer_kind();
  const bool chooses = kind == ReducerKind::kArgMax || kind == ReducerKind::kArgMin;
  const bool named = rule.operands.size() == 2 && neutral_value(kind, instruction.shape.element_type()).has_value();
  return summing(rule, chooses || named);
}

Ways multiplying(const Instruction& instruction, const ShardingRule& rule) {
  return summing(rule, instruction.shape.element_type() != ElementType::kPred);
}

/// An op on its way: some need more than to say the ways of their rule's factors.
struct Parts {
  const Instruction& instruction;
  const Computation& computation;
  LocalOp op;

  const Shape& operand(size_t i) const { return computation.instruction(instruction.operands[i]).shape; }
  /// The factor of a dimension that has one.
  size_t factor(const ArrayFactors& array, int64_t dimension) const {
    return static_cast<size_t>(array[static_cast<size_t>(dimension)][0]);
  }
  void set(size_t factor, LocalWay way, int64_t divided) {
    op.ways[factor] = way;
    op.sizes[factor] = std::gcd(op.sizes[factor], divided);
  }
  void convolve();
  void reduce_windows();
  void select_windows();
  void run_along();
  void reverse();
  void stride();
  void slice_dynamically();
  void update_dynamically();
  void gather();
  void scatter();
  void choose_greatest();
};

bool fits_s32(int64_t size) { return size <= INT32_MAX; }
bool fits_s32(const Shape& shape) {
  return std::ranges::all_of(shape.dimensions(), [](int64_t d) { return fits_s32(d); });
}

/// Parts of an array begin at multiples of a dilated element, so that every device's windows look alike.
int64_t alike_windows(const WindowDimension& window, int64_t windows) {
  const int64_t steps = windows * window.stride;
  return steps % window.base_dilation == 0 ? steps / window.base_dilation : 1;
}

/// Groups say how the features of operands belong together, which parts would have to say anew. Along space devices get the
/// rims of their neighbours' parts.
void Parts::convolve() {
  const auto& convolution = attributes_of<ConvolutionAttributes>(instruction);
  const ConvolutionDimensions& names = convolution.dimensions;
  op.ways = multiplying(instruction, op.rule);
  if (convolution.batch_group_count > 1) op.ways = whole(op.rule);
  if (convolution.batch_group_count > 1) return;
  const bool has_zero = operand(0).element_type() != ElementType::kF8E8M0Fnu;  // for what lies beyond the ends
  const size_t batch = factor(op.rule.operands[0], names.input_batch);
  for (size_t f = 0; f < op.ways.size(); ++f) {
    if (convolution.feature_group_count > 1 && f != batch) op.ways[f] = LocalWay::kWhole;
  }
  for (size_t i = 0; i < names.input_spatial.size(); ++i) {
    const WindowDimension& window = convolution.window[i];
    if (window == WindowDimension{}) continue;
    const int64_t size = operand(0).dimension(names.input_spatial[i]);
    const int64_t windows = instruction.shape.dimension(names.output_spatial[i]);
    const size_t f = factor(op.rule.operands[0], names.input_spatial[i]);
    if (op.rule.factors[f].kind == FactorKind::kPermute) {
      if (!has_zero) continue;
      set(f, LocalWay::kOwn, std::gcd(std::gcd(size, windows), alike_windows(window, windows)));
    } else {
      const bool plain = has_zero && window.base_dilation == 1 && !window.reversal;
      set(f, plain ? op.ways[f] : LocalWay::kWhole, std::gcd(size, window.size));
    }
  }
}

/// Elements beyond the ends are neutral, or there are none.
void Parts::reduce_windows() {
  const auto& a = attributes_of<ReduceWindowAttributes>(instruction);
  op.ways = passing(op.rule);
  const bool named =
      op.rule.operands.size() == 2 &&
      neutral_value(a.to_apply->reducer_kind(), instruction.shape.leaves()[0].element_type()).has_value();
  const Shape result = instruction.shape.leaves()[0];
  for (size_t d = 0; d < a.window.size(); ++d) {
    const WindowDimension& window = a.window[d];
    const auto place = static_cast<int64_t>(d);
    const bool inside = window.padding_low == 0 && window.padding_high <= 0;
    if (window == WindowDimension{} || window.base_dilation != 1 || !(named || inside)) continue;
    set(factor(op.rule.operands[0], place), LocalWay::kOwn,
        std::gcd(operand(0).dimension(place), result.dimension(place)));
  }
}

/// Windows side by side, which no border cuts.
void Parts::select_windows() {
  op.ways = passing(op.rule);
  const Window& window = attributes_of<SelectAndScatterAttributes>(instruction).window;
  for (size_t d = 0; d < window.size(); ++d) {
    const auto place = static_cast<int64_t>(d);
    const int64_t size = operand(0).dimension(place), windows = operand(1).dimension(place);
    WindowDimension aligned;
    aligned.size = aligned.stride = window[d].size;
    if (window[d] == aligned && size == windows * aligned.size)
      set(factor(op.rule.operands[0], place), LocalWay::kPart, windows);
  }
}

/// Each device runs along its part; what stands before it comes as a number a line.
void Parts::run_along() {
  if (instruction.opcode == Opcode::kReduceWindow) reduce_windows();
  else op.ways = passing(op.rule);
  const auto cumulative = cumulative_of(instruction, computation);
  if (!cumulative) return;
  const ElementType type = instruction.shape.leaves()[0].element_type();
  const bool widens =
      instruction.opcode == kExtCumlogsumexp && element_type_info(type).bits <= 8;  // as its decomposition
  const bool named = op.rule.results.size() == 1 && !widens &&
                     neutral_value(running_kind(instruction), instruction.shape.element_type()).has_value();
  op.ways[factor(op.rule.operands[0], cumulative->dimension)] = named ? LocalWay::kOwn : LocalWay::kWhole;
}

void Parts::reverse() {
  op.ways = passing(op.rule);
  for (size_t f = 0; f < op.ways.size(); ++f) {
    if (op.rule.factors[f].kind == FactorKind::kPermute) op.ways[f] = LocalWay::kOwn;
  }
}

/// The rows of a table lie on several devices: each gives those it has.
void Parts::gather() {
  op.ways = passing(op.rule);
  const auto& a = attributes_of<GatherAttributes>(instruction);
  if (!joining_kind(instruction.shape.element_type()) || operand(1).element_type() == ElementType::kU64) return;
  for (const int64_t d : a.start_index_map) {
    if (a.slice_sizes[static_cast<size_t>(d)] != 1 || !fits_s32(operand(0).dimension(d))) continue;
    const size_t f = factor(op.rule.operands[0], d);
    if (op.rule.factors[f].kind == FactorKind::kReduction) op.ways[f] = LocalWay::kPartial;
  }
}

/// Each device takes the updates of its rows. Where updates lie on several devices each adds up its own, one of them to what was
/// there before.
void Parts::scatter() {
  const auto& a = attributes_of<ScatterAttributes>(instruction);
  const size_t inputs = op.rule.results.size();
  op.ways = passing(op.rule);
  for (size_t f = 0; f < op.ways.size(); ++f) {
    if (!has_factor(op.rule.operands[inputs + 1], f)) op.ways[f] = LocalWay::kWhole;
    const bool adds = inputs == 1 && op.rule.factors[f].kind == FactorKind::kReduction &&
                      neutral_value(a.to_apply->reducer_kind(), instruction.shape.element_type()).has_value();
    if (adds) op.ways[f] = LocalWay::kPartial;
  }
  if (operand(inputs).element_type() == ElementType::kU64) return;
  for (const int64_t d : a.scatter_dims_to_operand_dims) {
    const bool inserted = std::ranges::find(a.inserted_window_dims, d) != a.inserted_window_dims.end();
    if (inserted && fits_s32(operand(0).dimension(d))) op.ways[factor(op.rule.operands[0], d)] = LocalWay::kOwn;
  }
}

/// The result has no part of what is cut: each device gives the elements that it has.
void Parts::slice_dynamically() {
  op.ways = passing(op.rule);
  if (!joining_kind(instruction.shape.element_type()) || !fits_s32(operand(0))) return;
  for (int64_t d = 0; d < instruction.shape.rank(); ++d) {
    if (operand(0).dimension(d) == instruction.shape.dimension(d)) continue;
    op.ways[factor(op.rule.operands[0], d)] = LocalWay::kPartial;
    op.rule.results[0][static_cast<size_t>(d)].clear();
  }
}

/// Each device writes what falls into its part.
void Parts::update_dynamically() {
  op.ways = passing(op.rule);
  for (int64_t d = 0; d < instruction.shape.rank(); ++d) {
    const size_t f = factor(op.rule.operands[0], d);
    if (!has_factor(op.rule.operands[1], f)) op.ways[f] = LocalWay::kWhole;
    if (!has_factor(op.rule.operands[1], f) && fits_s32(instruction.shape)) op.ways[f] = LocalWay::kOwn;
  }
}

/// Each device has candidates.
void Parts::choose_greatest() {
  op.ways = passing(op.rule);
  const int64_t last = operand(0).rank() - 1;
  op.ways[factor(op.rule.operands[0], last)] = LocalWay::kPartial;
  for (ArrayFactors& result : op.rule.results) result[static_cast<size_t>(last)].clear();
}

/// Others than strided ones, and those whose parts aren't of one size, are views (view.h).
void Parts::stride() {
  op.ways = passing(op.rule);
  const auto& ranges = attributes_of<SliceAttributes>(instruction).ranges;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const auto place = static_cast<int64_t>(d);
    const int64_t size = operand(0).dimension(place);
    if (ranges[d] != SliceRange{0, size, 1})
      set(factor(op.rule.operands[0], place), LocalWay::kOwn, std::gcd(size, instruction.shape.dimension(place)));
  }
}

/// LAPACK's calls of the typed FFI know sizes by their arrays, and so do those that say what their batch is; what others are
/// told may be of sizes.
Ways calling(const Instruction& instruction, const ShardingRule& rule) {
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(instruction));
  return target.ends_with("_ffi") || stated_batch(instruction) ? passing(rule) : whole(rule);
}

Ways padding(const Instruction& instruction, const ShardingRule& rule) {
  Ways ways = passing(rule);
  const auto& dimensions = attributes_of<PadAttributes>(instruction).padding;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != PaddingDimension{}) ways[static_cast<size_t>(rule.operands[0][d][0])] = LocalWay::kWhole;
  }
  return ways;
}

/// hilo's own ops. A switch over places in their list, so that a new one doesn't compile without saying what it does.
Ways extension_ways(const Instruction& instruction, const ShardingRule& rule) {
  const auto position = static_cast<int>(instruction.opcode) - kHloOpcodeCount;
  switch (static_cast<extensions::Position>(position)) {
    case extensions::kStopGradient:
    case extensions::kFma:
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) case extensions::k##enumerator:
#include "hilo/hlo/ir/extensions.inc"
    case extensions::kCumsum:
    case extensions::kCumprod:
    case extensions::kCummax:
    case extensions::kCummin:
    case extensions::kCumlogsumexp:
    case extensions::kSelectAndGatherAdd:
    case extensions::kLu:
    case extensions::kGeqrf:
    case extensions::kGeqp3:
    case extensions::kHouseholderProduct:
    case extensions::kOrmqr:
    case extensions::kQr:
    case extensions::kEigh:
    case extensions::kTridiagonal:
    case extensions::kSvd:
    case extensions::kEig:
    case extensions::kSchur:
    case extensions::kHessenberg: return passing(rule);
    case extensions::kScan:  // opened, or closed and whole
    case extensions::kCustomVjp:
    case extensions::kCustomRules:
    case extensions::kCustomVjpTangent:
    case extensions::kPsum:  // gone before a program runs
    case extensions::kPmax:
    case extensions::kPmin:
    case extensions::kPpermute:
    case extensions::kPsumScatter:
    case extensions::kAllToAll:
    case extensions::kAllGather:
    case extensions::kAxisIndex:
    case extensions::kCount: return whole(rule);
  }
  return whole(rule);
}

/// Of ops that say only the ways.
Ways ways_of(const Instruction& instruction, const ShardingRule& rule) {
  if (is_extension(instruction.opcode)) return extension_ways(instruction, rule);
  switch (instruction.opcode) {
#define HILO_ELEMENTWISE(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kMap:
    case Opcode::kStochasticConvert:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBitcastConvert:
    case Opcode::kConcatenate:
    case Opcode::kSort:
    case Opcode::kFft:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return passing(rule);
    case Opcode::kBroadcast: return broadcasting(rule);
    case Opcode::kDot: return multiplying(instruction, rule);
    case Opcode::kReduce: return reducing(instruction, rule);
    case Opcode::kPad: return padding(instruction, rule);
    case Opcode::kReverse:  // have forms of their own
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kConvolution:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kScatter:
    case Opcode::kTopK:
    case Opcode::kCustomCall: return calling(instruction, rule);
    case Opcode::kRngBitGenerator:   // the same bits as on one device
    case Opcode::kBitcast:           // of layouts
    case Opcode::kSetDimensionSize:  // sizes of the run
    case Opcode::kGetDimensionSize:
    case Opcode::kDynamicReshape:
    case Opcode::kConstant:  // cut where it is used
    case Opcode::kIota:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kShuffle:
    case Opcode::kAddDependency:  // data flow
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kDomain:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kScan:
    case Opcode::kTuple:
    case Opcode::kWhile:
    case Opcode::kAfterAll:
    case Opcode::kAsyncDone:  // pairs
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kAllReduce:  // refused before
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectiveReduce:
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone: return whole(rule);
  }
  return whole(rule);
}

void set_ways(Parts& parts) {
  switch (parts.instruction.opcode) {
    case Opcode::kConvolution: return parts.convolve();
    case Opcode::kReduceWindow: return parts.run_along();
    case Opcode::kSelectAndScatter: return parts.select_windows();
    case Opcode::kReverse: return parts.reverse();
    case Opcode::kSlice: return parts.stride();
    case Opcode::kDynamicSlice: return parts.slice_dynamically();
    case Opcode::kDynamicUpdateSlice: return parts.update_dynamically();
    case Opcode::kGather: return parts.gather();
    case Opcode::kScatter: return parts.scatter();
    case Opcode::kTopK: return parts.choose_greatest();
    default: break;
  }
  if (cumulative_of(parts.instruction, parts.computation)) parts.run_along();
  else parts.op.ways = ways_of(parts.instruction, parts.op.rule);
}

/// Parts of lists of sizes: a size that is the whole dimension becomes the part's.
Int64List part_sizes(const Int64List& sizes, const Shape& whole, const Shape& part) {
  Int64List made = sizes;
  for (size_t d = 0; d < made.size(); ++d) {
    const auto place = static_cast<int64_t>(d);
    if (made[d] == whole.dimension(place)) made[d] = part.dimension(place);
  }
  return made;
}

}  // namespace

bool has_factor(const ArrayFactors& array, size_t factor) {
  return std::ranges::any_of(array, [&](const std::vector<int>& factors) {
    return std::ranges::find(factors, static_cast<int>(factor)) != factors.end();
  });
}

std::optional<ReducerKind> joining_kind(ElementType type) {
  const ReducerKind kind = type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kAdd;
  return neutral_value(kind, type) ? std::optional(kind) : std::nullopt;
}

std::optional<Cumulative> cumulative_of(const Instruction& instruction, const Computation& computation) {
  if (instruction.opcode == Opcode::kReduceWindow)
    return cumulative_of(attributes_of<ReduceWindowAttributes>(instruction).window,
                         computation.instruction(instruction.operands[0]).shape.dimensions());
  const bool runs = instruction.opcode == kExtCumsum || instruction.opcode == kExtCumprod ||
                    instruction.opcode == kExtCummax || instruction.opcode == kExtCummin ||
                    instruction.opcode == kExtCumlogsumexp;
  if (!runs) return std::nullopt;
  const auto& a = attributes_of<CumulativeAttributes>(instruction);
  return Cumulative{a.axis, a.reverse};
}

ReducerKind running_kind(const Instruction& instruction) {
  if (instruction.opcode == kExtCumsum) return ReducerKind::kAdd;
  if (instruction.opcode == kExtCumprod) return ReducerKind::kMultiply;
  if (instruction.opcode == kExtCummin) return ReducerKind::kMinimum;
  if (is_extension(instruction.opcode)) return ReducerKind::kMaximum;
  return attributes_of<ReduceWindowAttributes>(instruction).to_apply->reducer_kind();
}

LocalOp local_op(const Instruction& instruction, const Computation& computation) {
  Parts parts{instruction, computation, {sharding_rule(instruction, computation), {}, {}}};
  for (const Factor& factor : parts.op.rule.factors) parts.op.sizes.push_back(factor.size);
  set_ways(parts);
  return std::move(parts.op);
}

AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result) {
  if (instruction.opcode == Opcode::kSlice) {
    auto made = std::make_shared<SliceAttributes>(attributes_of<SliceAttributes>(instruction));
    for (size_t d = 0; d < made->ranges.size(); ++d) {
      const auto place = static_cast<int64_t>(d);
      if (whole.dimension(place) != part.dimension(place)) made->ranges[d].limit = part.dimension(place);
    }
    return made;
  }
  if (instruction.opcode == Opcode::kDynamicSlice) {
    auto made = std::make_shared<DynamicSliceAttributes>();
    made->sizes.assign(result.dimensions().begin(), result.dimensions().end());
    return made;
  }
  if (instruction.opcode == Opcode::kGather) {
    auto made = std::make_shared<GatherAttributes>(attributes_of<GatherAttributes>(instruction));
    const Int64List sizes = part_sizes(made->slice_sizes, whole, part);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (std::ranges::find(made->operand_batching_dims, static_cast<int64_t>(d)) == made->operand_batching_dims.end())
        made->slice_sizes[d] = sizes[d];
    }
    return made;
  }
  return instruction.attributes;
}

namespace {

bool is_device_op(Opcode opcode) {
  return is_collective(opcode) || opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
}

std::string_view why_not(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (is_device_op(opcode)) return "the program already says what each device does";
  if (opcode == Opcode::kRng || opcode == Opcode::kRngGetAndUpdateState)
    return "its numbers would differ from device to device";
  if (opcode == Opcode::kCustomCall && !is_called_by_each_device(instruction)) {
    const auto options = custom_call_options(attributes_of<CustomCallAttributes>(instruction));
    return options.ok() && !options->has_side_effect ? "" : "every device would do what it does";
  }
  const bool transfers =
      opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend || opcode == Opcode::kRecv;
  return transfers ? "every device would do what it does" : "";
}

}  // namespace

bool is_called_by_each_device(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCustomCall && instruction.shape.leaves().empty() &&
         custom_call_target(attributes_of<CustomCallAttributes>(instruction)) ==
             "xla_ffi_partitioned_python_cpu_callback";
}

Status check_partitionable(const Module& module, bool by_hand) {
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& instruction : computation->instructions()) {
      const std::string_view why = by_hand && is_device_op(instruction.opcode) ? "" : why_not(instruction);
      if (!why.empty()) return unimplemented(describe(instruction) + " can't be partitioned: " + std::string(why));
    }
  }
  return ok_status();
}

}  // namespace hilo::hlo
