// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/jax_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "hilo/base/out_of_memory.h"
#include "hilo/stablehlo/bytecode/reader.h"
#include "hilo/stablehlo/flat_buffer.h"

namespace hilo::stablehlo {
namespace {

constexpr int kMaxTreeDepth = 256;  // maximum depth of nested trees
constexpr int kMaxDerivatives = 16;
constexpr size_t kMaxDimensions = 64;
constexpr size_t kMaxPathLength = 256;  // maximum length; longer paths are cut, because each leaf stores its own
constexpr uint32_t kFirstConvention = 9, kLastConvention = 10;

// Indices of fields in the schema's tables (jax/_src/export/serialization.fbs).
enum ExportedField : size_t {
  kFunctionName = 1,
  kInTree = 2,
  kInAvals = 3,
  kOutTree = 4,
  kOutAvals = 5,
  kDevicesShort = 6,
  kPlatforms = 9,
  kOrderedEffects = 10,
  kUnorderedEffects = 11,
  kDisabledChecks = 12,
  kModule = 13,
  kCallingConvention = 14,
  kKeptInputs = 15,
  kUsesGlobalConstants = 16,
  kVjp = 17,
  kDevices = 18,
  kUniqueAvals = 19,
  kInAvalIndices = 22,
  kOutAvalIndices = 23,
};
enum AvalField : size_t { kAvalKind = 0, kAvalShape = 1, kAvalType = 2 };
enum TreeField : size_t { kTreeKind = 0, kTreeChildren = 1, kTreeNames = 2 };
enum TreeKind : uint32_t { kLeaf = 0, kNone = 1, kTuple = 2, kList = 3, kDict = 4, kCustom = 5 };

/// An entry of the schema's enum DType. Key types are arrays of u32 with an additional dimension.
struct TypeRow {
  ElementType type;
  std::string_view further = {};
  bool has_no_tangents = false;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kPred},
    {ElementType::kS8},
    {ElementType::kS16},
    {ElementType::kS32},
    {ElementType::kS64},
    {ElementType::kU8},
    {ElementType::kU16},
    {ElementType::kU32},
    {ElementType::kU64},
    {ElementType::kF16},
    {ElementType::kF32},
    {ElementType::kF64},
    {ElementType::kC64},
    {ElementType::kC128},
    {ElementType::kBf16},
    {ElementType::kS4},
    {ElementType::kU4},
    {ElementType::kF8E4M3B11Fnuz},
    {ElementType::kF8E4M3Fn},
    {ElementType::kF8E4M3Fnuz},
    {ElementType::kF8E5M2},
    {ElementType::kF8E5M2Fnuz},
    {ElementType::kPred, {}, true},
    {ElementType::kF8E4M3},
    {ElementType::kF8E3M4},
    {ElementType::kF8E8M0Fnu},
    {ElementType::kF4E2M1Fn},
    {ElementType::kU32, "2"},
    {ElementType::kU32, "4"},
    {ElementType::kU32, "4"},
};

/// Reads one file. The file of a derivative is nested inside.
class Reader {
 public:
  Reader(std::string_view data, std::string_view source) : buffer_(data, source) {}

  StatusOr<JaxExport> read() {
    JaxExport exported = read_exported(FlatTable::root(buffer_), 0);
    if (buffer_.failed()) return buffer_.status();
    return exported;
  }

 private:
  JaxExport read_exported(const FlatTable& t, int depth) {
    JaxExport e;
    if (buffer_.failed()) return e;
    e.function_name = t.text(kFunctionName);
    e.calling_convention_version = t.number(kCallingConvention, 2);
    if (e.calling_convention_version < kFirstConvention || e.calling_convention_version > kLastConvention) {
      buffer_.fail(0,
                   fmt::format("calling convention {}; this version reads {} to {}", e.calling_convention_version,
                               kFirstConvention, kLastConvention),
                   StatusCode::kUnimplemented);
      return e;
    }
    e.inputs = read_values(t, kInAvals, kInAvalIndices);
    e.outputs = read_values(t, kOutAvals, kOutAvalIndices);
    name_leaves(t.table(kInTree), e.inputs, "in_tree", true);
    name_leaves(t.table(kOutTree), e.outputs, "out_tree", false);
    e.platforms = read_texts(t, kPlatforms);
    e.ordered_effects = read_names(t, kOrderedEffects, 0);
    e.unordered_effects = read_names(t, kUnorderedEffects, 0);
    e.disabled_checks = read_names(t, kDisabledChecks, 1);
    e.device_count = t.has(kDevices) ? t.number(kDevices, 4) : t.number(kDevicesShort, 2);
    e.uses_global_constants = t.number(kUsesGlobalConstants, 1) != 0;
    const FlatVector module = t.list(kModule, 1);
    e.module = module.bytes;
    read_kept_inputs(t, e);
    if (t.has(kVjp) && !buffer_.failed()) {
      if (depth >= kMaxDerivatives) {
        buffer_.fail(0, fmt::format("derivatives nested more than {} deep", kMaxDerivatives),
                     StatusCode::kUnimplemented);
        return e;
      }
      e.vjp = std::make_shared<const JaxExport>(read_exported(t.table(kVjp), depth + 1));
      check_vjp(e);
    }
    return e;
  }

  /// Checks the signature of the derivative: its arguments are the inputs and one cotangent per output; its results are
  /// one cotangent per input.
  void check_vjp(const JaxExport& e) {
    if (buffer_.failed()) return;
    if (e.vjp->inputs.size() != e.inputs.size() + e.outputs.size() || e.vjp->outputs.size() != e.inputs.size()) {
      buffer_.fail(0,
                   fmt::format("the derivative has {} arguments and {} results; wanted {} and {}", e.vjp->inputs.size(),
                               e.vjp->outputs.size(), e.inputs.size() + e.outputs.size(), e.inputs.size()));
    }
  }

  /// Reads the types of values. From serialization version 10 on they are indices into a list of distinct types.
  std::vector<ExportedValue> read_values(const FlatTable& t, size_t each, size_t indices) {
    const std::vector<ExportedValue> types = read_types(t, t.has(indices) ? static_cast<size_t>(kUniqueAvals) : each);
    if (!t.has(indices)) return types;
    std::vector<ExportedValue> values;
    const FlatVector places = t.list(indices);
    for (size_t i = 0; i < places.size() && !buffer_.failed(); ++i) {
      const size_t place = t.number_in(places, i);
      if (place < types.size()) values.push_back(types[place]);
      else buffer_.fail(0, fmt::format("type {} of {}", place, types.size()));
    }
    return values;
  }

  std::vector<ExportedValue> read_types(const FlatTable& t, size_t field) {
    std::vector<ExportedValue> types;
    const FlatVector list = t.list(field);
    for (size_t i = 0; i < list.size() && !buffer_.failed(); ++i) types.push_back(read_type(t.table_in(list, i)));
    return types;
  }

  ExportedValue read_type(const FlatTable& aval) {
    ExportedValue value;
    const uint32_t kind = aval.number(kAvalKind, 1), type = aval.number(kAvalType, 1);
    const FlatVector sizes = aval.list(kAvalShape);
    if (buffer_.failed()) return value;
    if (kind != 0 || type >= std::size(kTypes) || sizes.size() > kMaxDimensions) {
      buffer_.fail(0, fmt::format("a value of kind {}, type {} and {} dimensions", kind, type, sizes.size()),
                   StatusCode::kUnimplemented);
      return value;
    }
    value.type = kTypes[type].type;
    value.has_no_tangents = kTypes[type].has_no_tangents;
    for (size_t i = 0; i < sizes.size() && !buffer_.failed(); ++i) value.sizes.push_back(aval.text_in(sizes, i));
    if (!kTypes[type].further.empty()) value.sizes.emplace_back(kTypes[type].further);
    return value;
  }

  std::vector<std::string> read_texts(const FlatTable& t, size_t field) {
    std::vector<std::string> texts;
    const FlatVector list = t.list(field);
    for (size_t i = 0; i < list.size() && !buffer_.failed(); ++i) texts.push_back(t.text_in(list, i));
    return texts;
  }

  /// Returns the field `name` of each table in a list. A check without a target is the check of the platform.
  std::vector<std::string> read_names(const FlatTable& t, size_t field, size_t name) {
    std::vector<std::string> names;
    const FlatVector list = t.list(field);
    for (size_t i = 0; i < list.size() && !buffer_.failed(); ++i) {
      const FlatTable entry = t.table_in(list, i);
      names.push_back(entry.has(name) ? entry.text(name) : "platform");
    }
    return names;
  }

  void read_kept_inputs(const FlatTable& t, JaxExport& e) {
    const FlatVector kept = t.list(kKeptInputs, 2);
    for (size_t i = 0; i < kept.size() && !buffer_.failed(); ++i) {
      const size_t input = t.number_in(kept, i);
      if (input >= e.inputs.size() || (!e.kept_inputs.empty() && input <= e.kept_inputs.back())) {
        buffer_.fail(buffer_.position_of(kept.bytes), fmt::format("kept input {} of {}", input, e.inputs.size()));
        return;
      }
      e.kept_inputs.push_back(input);
    }
  }

  /// Sets the path of each leaf of the tree. An input tree is (args, kwargs).
  void name_leaves(const FlatTable& tree, std::vector<ExportedValue>& leaves, std::string_view what, bool is_input) {
    size_t next = 0;
    walk(tree, is_input ? "inputs" : "", 0, [&](const std::string& path) {
      if (next < leaves.size()) leaves[next].path = is_input ? argument_path(path) : path;
      ++next;
    });
    if (buffer_.failed() || next == leaves.size()) return;
    buffer_.fail(0, fmt::format("{} has {} leaves; wanted {}", what, next, leaves.size()));
  }

  static std::string argument_path(const std::string& path) {
    constexpr std::string_view kArgs = "inputs[0]", kKwargs = "inputs[1]";
    if (path.starts_with(kArgs)) return "args" + path.substr(kArgs.size());
    if (path.starts_with(kKwargs)) return "kwargs" + path.substr(kKwargs.size());
    return path;
  }

  template <typename Leaf>
  void walk(const FlatTable& node, const std::string& path, int depth, const Leaf& leaf) {
    if (buffer_.failed()) return;
    if (depth > kMaxTreeDepth) return buffer_.fail(0, fmt::format("trees nested more than {} deep", kMaxTreeDepth));
    const uint32_t kind = node.number(kTreeKind, 1);
    if (kind == kLeaf) return leaf(path);
    if (kind > kCustom) return buffer_.fail(0, fmt::format("a tree of kind {}", kind), StatusCode::kUnimplemented);
    const FlatVector children = node.list(kTreeChildren), names = node.list(kTreeNames);
    if (kind == kDict && names.size() != children.size())
      return buffer_.fail(0, fmt::format("a dict of {} keys and {} values", names.size(), children.size()));
    for (size_t i = 0; i < children.size() && !buffer_.failed(); ++i) {
      const std::string key = kind == kDict ? fmt::format("['{}']", node.text_in(names, i)) : fmt::format("[{}]", i);
      walk(node.table_in(children, i), path.size() < kMaxPathLength ? path + key.substr(0, kMaxPathLength) : path,
           depth + 1, leaf);
    }
  }

  FlatBuffer buffer_;
};

}  // namespace

bool ExportedValue::is_symbolic() const {
  return std::any_of(sizes.begin(), sizes.end(), [](const std::string& size) {
    return size.empty() || size.find_first_not_of("0123456789") != std::string::npos;
  });
}

std::string ExportedValue::to_string() const {
  return fmt::format("{}[{}]", element_type_name(type), fmt::join(sizes, ","));
}

bool is_jax_export(std::string_view data) {
  FlatBuffer buffer(data, "");
  const FlatVector module = FlatTable::root(buffer).list(kModule, 1);
  return !buffer.failed() && is_bytecode(module.bytes);
}

bool may_be_jax_export(std::string_view beginning) {
  FlatBuffer buffer(beginning, "");
  const size_t root = buffer.target(0);
  return !buffer.failed() && root > 0 && root < beginning.size();
}

StatusOr<JaxExport> read_jax_export(std::string_view data, std::string_view source) try {
  return Reader(data, source).read();
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
