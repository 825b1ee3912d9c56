// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/parts.h -- what the files of the translation share; nobody else includes it.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <unordered_map>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/stablehlo/translate/devices.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// A sequence of attributes for one op of HLO, whether it has fields of its own or keeps text (hlo/ops/not_yet.h).
class AttributeSetter {
 public:
  explicit AttributeSetter(hlo::Opcode opcode);

  Status set(std::string_view name, int64_t value);
  Status set_flag(std::string_view name, bool value);
  Status set_list(std::string_view name, const hlo::Int64List& value);
  /// A value of an enum, by its name in HLO text.
  Status set_word(std::string_view name, std::string_view value);
  /// Any value, as HLO text spells it: "{size=2x2 stride=2x1}".
  Status set_text(std::string_view name, const std::string& text);
  Status set_computation(std::string_view name, const hlo::ComputationPtr& computation);
  Status set_computations(std::string_view name, std::vector<hlo::ComputationPtr> computations);

  hlo::AttributesPtr take() { return std::move(attributes_); }

 private:
  StatusOr<const hlo::AttributeField*> field(std::string_view name, std::initializer_list<hlo::FieldKind> kinds) const;
  bool is_raw() const;
  void add_raw(std::string_view name, const std::string& text);
  const hlo::OpDef& def_;
  std::shared_ptr<hlo::Attributes> attributes_;
};

/// One attribute of a row: its name in StableHLO, and in HLO if that differs.
struct FieldRow {
  std::string_view name, hlo = {};
  std::string_view hlo_name() const { return hlo.empty() ? name : hlo; }
};

struct OpRow;
struct Translator;

/// Operands of an instruction: few as a rule, which then take no memory of their own.
using InstructionIds = boost::container::small_vector<hlo::InstructionId, 6>;

/// The operation being translated and the computation it goes into.
struct OpContext {
  Translator& translator;
  hlo::Builder& builder;
  const Operation& operation;
  const OpRow& row;
  /// Lists that stand for attributes: those that an operation takes as operands with constant values.
  std::vector<std::pair<std::string_view, std::vector<int64_t>>> lists = {};
  uint32_t operand_limit = ~uint32_t{0};  ///< operands from here on are such lists
  /// Of each result, where operands gave them: its type may leave some unknown.
  std::vector<std::vector<int64_t>> sizes = {};
  bool on_real_values = false;  ///< quantised types count as what they express

  const ModuleTree& tree() const;
  OperationId id() const { return static_cast<OperationId>(&operation - tree().operations.data()); }
  StatusOr<hlo::InstructionId> operand(uint32_t i) const;
  StatusOr<InstructionIds> operands() const;
  uint32_t operand_count() const { return std::min(operation.operands.count, operand_limit); }
  StatusOr<Shape> result_shape(uint32_t i = 0) const;
  /// The type that the file states for a result, which may leave sizes unknown.
  const Type& result_type(uint32_t i = 0) const { return tree().type_of(tree().result(operation, i)); }
  /// The element type of a result; INVALID_ARGUMENT if there is no such result.
  StatusOr<ElementType> result_element(uint32_t i = 0) const;
  /// What value `i` of the operation is.
  void define(uint32_t i, hlo::InstructionId id) const;
  /// Adds an instruction whose results are the operation's: one, or the elements of a tuple.
  Status add(hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
             hlo::AttributesPtr attributes = nullptr) const;

  const Attribute* find(std::string_view name) const { return tree().find(operation, name); }
  /// The integers of an attribute; those of `otherwise` where it is absent.
  StatusOr<std::vector<int64_t>> integers(std::string_view name,
                                          std::optional<std::vector<int64_t>> otherwise = {}) const;
  StatusOr<int64_t> integer(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  /// True, or there as a unit attribute.
  bool flag(std::string_view name, bool otherwise = false) const;
  /// Text of a word, string or symbol; empty if the attribute is absent.
  std::string_view text(std::string_view name) const;
  Status missing(std::string_view name) const;
};

using Handler = Status (*)(const OpContext&);

/// How one op of StableHLO becomes HLO: `translate` does it, from what the row says.
struct OpRow {
  std::string_view name;  ///< without "stablehlo."
  Handler translate;      ///< null for an operation that is read and not translated
  hlo::Opcode opcode{};
  FieldRow fields[8] = {};
  std::string_view regions[2] = {};  ///< fields of HLO that regions become
};

/// All of them, by name.
std::span<const OpRow> op_rows();
/// Null for an operation that this version doesn't know.
const OpRow* find_row(std::string_view operation_name);

/// How the arguments of a region become parameters: one each, or one tuple of all (a sole one as it is).
enum class Parameters : uint8_t { kEach, kTuple };

/// Values that a region takes from outside, in order of their ids: constants, which it can make itself, and others.
struct Captures {
  std::vector<ValueId> constants, others;
};

/// Of each dimension, how many of its elements are there: s32[], or kNoInstruction for all (bounded.cc).
using Limits = std::vector<hlo::InstructionId>;

/// What interpreter.probe sees in the body of a loop: the loop carries a counter and the values of the first passes.
struct Recording {
  std::string_view probe;
  Shape shape;
  int64_t passes = 0;                             ///< as many as checks ask for
  hlo::InstructionId seen = hlo::kNoInstruction;  ///< in the pass that is being built
};

/// What the processes of interpreter.run_parallel say to each other, while they are translated one after the other.
struct Queues {
  std::unordered_map<int64_t, std::vector<std::vector<hlo::InstructionId>>> channels = {};
  std::vector<std::string_view> infeed = {};  ///< functions that give what is to come
  const hlo::Builder* builder = nullptr;      ///< of the bodies of processes
};

struct Translator {
  const ModuleTree& tree;
  const TranslateOptions& options;
  std::unordered_map<std::string_view, OperationId> functions = {};
  std::unordered_map<std::string_view, hlo::ComputationPtr> computations = {};  ///< of functions, translated
  std::unordered_map<LocationId, hlo::AnnotationsPtr> annotations = {};
  /// Of names of operations: the tree has each text once, so that its place says which it is.
  boost::unordered_flat_map<const char*, const OpRow*> rows = {};
  /// Of regions, by name and what they do (body_key): programs repeat few.
  std::map<std::pair<std::string, std::vector<uint64_t>>, hlo::ComputationPtr> bodies = {};
  bool has_quantized_types = false, has_six_bit_types = false;
  std::vector<hlo::InstructionId> ids = {};            ///< of each value in the computation that is being built
  std::vector<std::optional<Shape>> type_shapes = {};  ///< of each type, as far as they were asked for
  std::vector<hlo::InstructionId> checked = {};
  const hlo::Builder* entry_builder = nullptr;  ///< of the entry, if its checks are wanted
  /// Of the function whose constants are a check's data: barriers keep them from being folded, so that engines compute.
  const hlo::Builder* data_builder = nullptr;
  std::unordered_map<std::string_view, std::vector<hlo::InstructionId>> probes = {};  ///< what interpreter.probe saw
  DevicePlan devices = {};
  Queues queues = {};
  std::vector<Shape> shapes = {};  ///< of each value, where sizes follow from the entry's arguments
  std::unordered_map<ValueId, Literal> constants = {};  ///< small ones among them, which regions make again
  int inlined_depth = 0;
  std::vector<Recording>* recordings = nullptr;     ///< of the loop whose body is being built
  bool placed = false;                              ///< an error has its operation
  std::unordered_map<ValueId, Limits> limits = {};  ///< of values whose size is bounded
  bool has_bounds = false;                          ///< some type has bounds
  bool refining = false;                            ///< sizes follow from the entry's arguments

  /// Whether sizes follow from the entry's arguments.
  bool refines() const;
  /// Null for an operation that this version doesn't know.
  const OpRow* row_of(const Operation& operation);
  /// `value` is `id` from here on.
  void set(const hlo::Builder& builder, ValueId value, hlo::InstructionId id);
  Status run(const Operation& function, bool entry);
  StatusOr<hlo::ComputationPtr> function(std::string_view name) const;
  Captures captures_of(std::initializer_list<const Region*> regions) const;
  /// The computation of a region. With kTuple, the captured values come after its arguments, and are returned after its
  /// results if `carry`.
  /// `arguments` are the shapes of the region's arguments, where their types may leave sizes unknown. `recorded`, if not
  /// null: the last values of the tuple are what these need, and are returned one pass further.
  StatusOr<hlo::ComputationPtr> region(const std::string& name, const Region& region, Parameters parameters,
                                       const Captures& captures, bool carry = false,
                                       std::span<const Shape> arguments = {},
                                       std::vector<Recording>* recorded = nullptr);
  /// region() of a body that takes its arguments only, each as a parameter. Equal bodies are made once.
  StatusOr<hlo::ComputationPtr> body(const std::string& name, const Region& region);
  /// The shape of a value's type.
  StatusOr<Shape> shape_of(ValueId value);
  StatusOr<Shape> argument_shape(ValueId value, uint32_t i, std::span<const Shape> arguments);
  Status translate_block(hlo::Builder& builder, const Region& region, std::vector<hlo::InstructionId>& results);
  Status translate_operation(hlo::Builder& builder, const Operation& operation);
  hlo::AnnotationsPtr annotations_of(LocationId location);
  /// An error with the name and source line of the innermost operation that it comes from.
  Status at(const Operation& operation, const Status& status);
};

/// A plain value, or a tuple of several.
hlo::InstructionId packed(hlo::Builder& builder, std::span<const hlo::InstructionId> values);

// Of modules with unknown sizes: refined.cc.

/// Results that are a few integers and computed from constants become constants.
Status fold_results(const OpContext& op);
/// The integers of an operand that is a constant by now.
std::optional<std::vector<int64_t>> known_integers(const OpContext& op, uint32_t operand);
/// The same of an operand that gives sizes.
/// Errors    UNIMPLEMENTED where it is no constant
StatusOr<std::vector<int64_t>> constant_operand(const OpContext& op, uint32_t i);
/// The custom call without those operands that only say the sizes of its results (indices_of_shape_operands).
StatusOr<OpContext> without_shape_operands(const OpContext& op);
bool has_unknown_sizes(const OpContext& op);
/// The shape of result `i`, whose type leaves sizes unknown: as operands say, else that of the operands of its rank, which
/// agree. And the shape of an instruction that is all results.
StatusOr<Shape> refined_shape(const OpContext& op, uint32_t i);
/// The shape of the bits of an array as the result's element type: narrower elements are a new last dimension, wider ones
/// take the last.
StatusOr<Shape> bitcast_shape(const OpContext& op, const Shape& operand);
StatusOr<Shape> refined_result(const OpContext& op, hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                               const hlo::AttributesPtr& attributes);
Status inline_call(const OpContext& op, std::string_view callee);
Status check_shape_assertion(const OpContext& op);
/// real_dynamic_slice from a start that isn't known, of a size that is: JAX clamps the start.
Status translate_slice_of_known_size(const OpContext& op);

// Of modules with bounded sizes: bounded.cc.

/// Translates an operation whose operands may have limits.
/// Errors    UNIMPLEMENTED naming operations that can't have such operands
Status translate_bounded(const OpContext& op);
/// The value with zeros beyond its limits.
StatusOr<hlo::InstructionId> zero_beyond(const OpContext& op, ValueId value);

// Handlers, by file.
Status translate_plain(const OpContext& op);  // plain.cc: what rows say is all there is
Status translate_sort(const OpContext& op);
Status translate_identity(const OpContext& op);
Status translate_elementwise(const OpContext& op);  // data.cc
Status translate_constant(const OpContext& op);
Status translate_broadcast(const OpContext& op);
Status translate_compare(const OpContext& op);
Status translate_select(const OpContext& op);
Status translate_slice(const OpContext& op);
Status translate_pad(const OpContext& op);
Status translate_dot(const OpContext& op);
Status translate_old_dot(const OpContext& op);
Status translate_sharding_constraint(const OpContext& op);
Status translate_sharding_group(const OpContext& op);
Status translate_call(const OpContext& op);  // calls.cc
Status translate_composite(const OpContext& op);
Status translate_custom_call(const OpContext& op);
Status translate_check(const OpContext& op);
Status translate_probe(const OpContext& op);
Status translate_while(const OpContext& op);  // control_flow.cc
Status translate_case(const OpContext& op);
Status translate_if(const OpContext& op);
Status translate_map(const OpContext& op);
Status translate_async_start(const OpContext& op);
Status translate_async_done(const OpContext& op);
Status translate_barrier(const OpContext& op);
Status translate_convolution(const OpContext& op);  // windows.cc
Status translate_window(const OpContext& op);
Status translate_dynamic_window(const OpContext& op);  ///< the custom call whose last operands are the window's lists
Status translate_all_reduce(const OpContext& op);      // collectives.cc
Status translate_reduce_scatter(const OpContext& op);
Status translate_all_gather(const OpContext& op);
Status translate_collective_broadcast(const OpContext& op);
Status translate_collective_permute(const OpContext& op);
Status translate_all_to_all(const OpContext& op);
Status translate_collective_reduce(const OpContext& op);
Status translate_replica_id(const OpContext& op);
Status translate_partition_id(const OpContext& op);
Status translate_manual_computation(const OpContext& op);  // manual.cc
Status translate_run_parallel(const OpContext& op);        // parallel.cc
Status translate_send(const OpContext& op);
Status translate_recv(const OpContext& op);
Status translate_infeed(const OpContext& op);
Status translate_outfeed(const OpContext& op);
Status translate_print(const OpContext& op);
Status translate_random(const OpContext& op);  // others.cc
Status translate_random_bits(const OpContext& op);
Status translate_dimension_size(const OpContext& op);
Status translate_old_broadcast(const OpContext& op);  // old_ops.cc
Status translate_cross_replica_sum(const OpContext& op);
Status translate_einsum(const OpContext& op);
Status translate_torch_index_select(const OpContext& op);
Status translate_trace(const OpContext& op);
Status translate_from_elements(const OpContext& op);  // refined.cc
Status translate_tensor_dimension(const OpContext& op);
Status translate_named_computation(const OpContext& op);  // calls.cc
Status translate_tuple(const OpContext& op);
Status translate_get_tuple_element(const OpContext& op);
Status translate_dynamic(const OpContext& op);

Status translate_conj(const OpContext& op);  // chlo.cc: ops of CHLO that HLO doesn't have as one op
Status translate_square(const OpContext& op);
Status translate_is_infinite(const OpContext& op);
Status translate_hyperbolic(const OpContext& op);
Status translate_constant_like(const OpContext& op);
Status translate_broadcasting(const OpContext& op);
Status translate_top_k(const OpContext& op);
Status translate_ragged_dot(const OpContext& op);
Status translate_scan(const OpContext& op);

Status translate_bitcast(const OpContext& op);  // elements.cc
Status translate_cbrt(const OpContext& op);
Status translate_extreme(const OpContext& op);
Status translate_clamp(const OpContext& op);
Status translate_convert(const OpContext& op);
Status translate_reduce_precision(const OpContext& op);
Status translate_quantize(const OpContext& op);  // quantized.cc
Status translate_dequantize(const OpContext& op);
Status translate_on_real_values(const OpContext& op);
bool is_quantized(const ModuleTree& tree, const Operation& operation);

/// The probes in a loop's body that checks ask for, and the values that the loop begins with for them.
StatusOr<std::vector<Recording>> recordings_of(const OpContext& op, const Region& body);
StatusOr<std::vector<hlo::InstructionId>> first_recorded(hlo::Builder& builder, std::span<const Recording> recordings);
/// The values after a pass, from those before it.
StatusOr<std::vector<hlo::InstructionId>> next_recorded(hlo::Builder& builder, std::span<const Recording> recordings,
                                                        std::span<const hlo::InstructionId> before);

/// The comparison of the operands that the operation's direction and type say.
Status add_compare(const OpContext& op, InstructionIds operands);

/// Operands in the element types that the operation's regions take, which may be wider than the operands' own.
StatusOr<InstructionIds> promoted_operands(const OpContext& op);

/// Groups and channel of a collective. A program for several devices has its groups written out for them; one for a single
/// device keeps what it says. `counts_devices`: whether ids can count devices.
Status set_collective(const OpContext& op, hlo::CollectiveAttributes& attributes, bool counts_devices);

/// `operand` spread over `result`: its dimension i becomes result's dimensions[i], stretched where it has extent 1.
StatusOr<hlo::InstructionId> add_broadcast(const OpContext& op, hlo::InstructionId operand,
                                           const std::vector<int64_t>& dimensions, const Shape& result);

/// Sets a dot's precisions from the attribute precision_config.
Status set_precision(const OpContext& op, hlo::DotAttributes& attributes);

/// What does a custom call that HLO has other ops for; null for all others (known_calls.cc).
Handler known_custom_call(std::string_view target);
Status translate_sparse_product(const OpContext& op);  // sparse.cc

Status translate_sharding_note(const OpContext& op);                                       // spmd_calls.cc
Status translate_partitioned_call(const OpContext& op, const CustomPartition& partition);  // partitioned_calls.cc
Status translate_full_to_shard(const OpContext& op);
Status translate_shard_to_full(const OpContext& op);

/// Annotations of the operation's location with these frontend attributes.
using FrontendAttributes = std::vector<std::pair<std::string_view, std::string>>;
hlo::AnnotationsPtr with_frontend_attributes(const OpContext& op, const FrontendAttributes& entries);
/// The one that states a sharding, given as text `<@mesh, [{"x"}]>`.
std::pair<std::string_view, std::string> sharding_attribute(std::string_view sharding);

/// The value under a sharding, as text `<@mesh, [{"x"}]>`: a copy that carries it as a frontend attribute.
StatusOr<hlo::InstructionId> add_constraint(const OpContext& op, hlo::InstructionId value, std::string_view sharding);

/// The number that `by_device` has for the device that runs: s32[].
StatusOr<hlo::InstructionId> device_entry(const OpContext& op, const std::vector<int64_t>& by_device);

/// The value on devices where `by_device` isn't 0; zeros on the others.
StatusOr<hlo::InstructionId> zero_elsewhere(const OpContext& op, hlo::InstructionId value,
                                            const std::vector<int64_t>& by_device);

/// The first array if the predicate, a scalar, holds, else the other; and zeros as the other.
StatusOr<hlo::InstructionId> choose(const OpContext& op, hlo::InstructionId first, hlo::InstructionId value,
                                    hlo::InstructionId otherwise);
StatusOr<hlo::InstructionId> zero_unless(const OpContext& op, hlo::InstructionId keeps, hlo::InstructionId value);

/// What the devices of each group have, one after the other along the dimension.
StatusOr<hlo::InstructionId> join_devices(const OpContext& op, hlo::InstructionId value, int64_t dimension,
                                          const hlo::Int64Lists& groups);
/// Makes a composite that names an extension op of hilo that op again; false where it is none, or doesn't fit.
StatusOr<bool> restore_extension(const OpContext& op, std::string_view name);  // extension.cc

/// Names in HLO of a custom call's api_version 0, 1, ...
inline constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                                    "API_VERSION_STATUS_RETURNING",
                                                    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};

/// A scalar operand, spread over `shape`; other operands as they are.
StatusOr<hlo::InstructionId> spread_scalar(const OpContext& op, hlo::InstructionId operand, const Shape& shape);

/// A constant of `shape`: the elements, or a scalar spread over it.
StatusOr<hlo::InstructionId> add_constant(const OpContext& op, const Attribute& value, const Shape& shape);

}  // namespace hilo::stablehlo
