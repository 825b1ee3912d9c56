// SPDX-License-Identifier: Apache-2.0
// Shardings of Shardy's dialect. All are converted to their MLIR text.
#include "hilo/stablehlo/bytecode/shardings.h"

#include <fmt/format.h>

#include "hilo/stablehlo/bytecode/attributes.h"

namespace hilo::stablehlo {
namespace {

enum class Sdy : uint64_t {
  kManualAxes,
  kMeshAxis,
  kMesh,
  kSubAxisInfo,
  kAxisRef,
  kDimensionSharding,
  kTensorShardingV1,
  kPerValueV1,
  kDimMapping,
  kTensorMapping,
  kOpShardingRule,
  kAxisRefList,
  kListOfAxisRefLists,
  kAllToAllParam,
  kAllToAllParamList,
  kTensorShardingV2,
  kPerValueV2,
  kTensorShardingV3,
};

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

/// Returns Shardy's name of a factor: i, j, ... z, z_1, z_2, ...
std::string factor_name(int64_t factor) {
  constexpr int64_t kLetters = 'z' - 'i' + 1;
  if (factor >= 0 && factor < kLetters) return std::string(1, static_cast<char>('i' + factor));
  return fmt::format("z_{}", factor - kLetters + 1);
}

std::string factor_names(const std::vector<int64_t>& factors, std::string_view separator) {
  std::string text;
  for (const int64_t factor : factors) text += (text.empty() ? "" : std::string(separator)) + factor_name(factor);
  return text;
}

/// Returns ` reduction={j}`, or nothing for an empty list.
std::string factor_list(std::string_view name, const std::vector<int64_t>& factors) {
  return factors.empty() ? std::string() : fmt::format(" {}={{{}}}", name, factor_names(factors, ", "));
}

/// Returns the word of a reduction of partial results. A sum has none.
std::string_view reduction_from(ByteReader& in) {
  constexpr std::string_view kReductions[] = {"", "max", "min"};
  const int64_t reduction = in.signed_number();
  if (reduction >= 0 && reduction < std::ssize(kReductions)) return kReductions[reduction];
  in.fail(StatusCode::kUnimplemented, fmt::format("a sharding with partial results of reduction {}", reduction));
  return "";
}

}  // namespace

std::string read_sdy(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  // Returns the texts of a list of attributes.
  const auto list = [&](std::string_view separator = ", ") {
    std::string text;
    const size_t count = in.count();
    for (size_t i = 0; i < count && !in.failed(); ++i) {
      const AttributeId id = attribute_from(reader, in);
      if (in.failed()) break;
      const Attribute& part = tree.attributes[id];
      text += (i == 0 ? "" : std::string(separator)) +
              (part.kind == AttributeKind::kString ? in_quotes(part.text) : std::string(part.text));
    }
    return text;
  };
  std::string made;
  const uint64_t code = in.number();
  switch (static_cast<Sdy>(code)) {
    case Sdy::kManualAxes: return "{" + list() + "}";
    case Sdy::kMeshAxis: {
      const std::string_view name = string_from(reader, in);
      made = fmt::format("\"{}\"={}", name, in.signed_number());
      return made;
    }
    case Sdy::kMesh: {
      made = "<[" + list() + "]";
      const std::vector<int64_t> devices = in.signed_numbers();
      if (!devices.empty()) {
        made += ", device_ids=[";
        for (size_t i = 0; i < devices.size(); ++i) made += fmt::format("{}{}", i == 0 ? "" : ", ", devices[i]);
        made += "]";
      }
      made += ">";
      return made;
    }
    case Sdy::kSubAxisInfo: {
      const int64_t before = in.signed_number();
      made = fmt::format(":({}){}", before, in.signed_number());
      return made;
    }
    case Sdy::kAxisRef: {
      made = in_quotes(string_from(reader, in));
      const uint64_t part = in.number();  // an index; the lowest bit tells whether it is present
      if ((part & 1) == 0 || in.failed()) return made;
      if (part >> 1 >= reader.attributes.size()) {
        in.fail(fmt::format("attribute {} of {}", part >> 1, reader.attributes.size()));
        return made;
      }
      if (const AttributeId id = attribute_at(reader, in, static_cast<uint32_t>(part >> 1)); !in.failed())
        made += tree.attributes[id].text;
      return made;
    }
    case Sdy::kDimensionSharding: {
      std::string axes = list();
      const bool closed = in.byte() != 0;
      const uint64_t priority = in.number();
      if (!closed) axes += axes.empty() ? "?" : ", ?";
      made = "{" + axes + "}";
      if ((priority & 1) != 0) made += fmt::format("p{}", priority >> 1);
      return made;
    }
    case Sdy::kTensorShardingV1:
    case Sdy::kTensorShardingV2:
    case Sdy::kTensorShardingV3: {
      const AttributeId mesh = attribute_from(reader, in);
      if (in.failed()) return made;
      const Attribute& where = tree.attributes[mesh];
      const std::string prefix = fmt::format("{}{}", where.kind == AttributeKind::kSymbol ? "@" : "mesh", where.text);
      const std::string dimensions = list();
      const std::string replicated = list();
      const std::string unreduced = static_cast<Sdy>(code) == Sdy::kTensorShardingV1 ? std::string() : list();
      const std::string_view reduction = static_cast<Sdy>(code) == Sdy::kTensorShardingV3 ? reduction_from(in) : "";
      made = fmt::format("<{}, [{}]", prefix, dimensions);
      if (!replicated.empty()) made += fmt::format(", replicated={{{}}}", replicated);
      if (!unreduced.empty()) made += fmt::format(", unreduced={}{{{}}}", reduction, unreduced);
      made += ">";
      return made;
    }
    case Sdy::kPerValueV1:
    case Sdy::kPerValueV2: return "[" + list() + "]";
    case Sdy::kDimMapping: {
      const std::string names = factor_names(in.signed_numbers(), "");
      return names.empty() ? "{}" : names;
    }
    case Sdy::kTensorMapping: return "[" + list() + "]";
    case Sdy::kOpShardingRule: {
      std::string sizes;
      const std::vector<int64_t> all = in.signed_numbers();
      for (size_t i = 0; i < all.size(); ++i)
        sizes += fmt::format("{}{}={}", i == 0 ? "" : ", ", factor_name(i), all[i]);
      const std::string operands = list();
      made = fmt::format("<({})->({})", operands, list());
      if (!sizes.empty()) made += fmt::format(" {{{}}}", sizes);
      for (const std::string_view kind : {"reduction", "need_replication", "permutation", "blocked_propagation"})
        made += factor_list(kind, in.signed_numbers());
      made += in.byte() != 0 ? ", custom>" : ">";
      return made;
    }
    case Sdy::kAxisRefList:
    case Sdy::kListOfAxisRefLists:
    case Sdy::kAllToAllParam:
    case Sdy::kAllToAllParamList: return "sdy...";  // propagation rules that hilo doesn't use
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("attribute {} of dialect 'sdy'", code));
  return made;
}

}  // namespace hilo::stablehlo
