// SPDX-License-Identifier: Apache-2.0
// Shardings of Shardy's dialect: all become the text that MLIR writes for them.
#include <fmt/format.h>

#include "hilo/stablehlo/bytecode/parts.h"

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

}  // namespace

std::string BytecodeReader::read_sdy(ByteReader& in) {
  // The texts of a list of attributes.
  const auto list = [&](std::string_view separator = ", ") {
    std::string text;
    const size_t count = in.count();
    for (size_t i = 0; i < count && !in.failed(); ++i) {
      const AttributeId id = attribute(in);
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
      const std::string_view name = string(in);
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
      made = in_quotes(string(in));
      const uint64_t part = in.number();  // an index, and in the lowest bit whether it is there
      if ((part & 1) == 0 || in.failed()) return made;
      if (part >> 1 >= attributes.size()) {
        in.fail(fmt::format("attribute {} of {}", part >> 1, attributes.size()));
        return made;
      }
      if (const AttributeId id = attribute_at(in, static_cast<uint32_t>(part >> 1)); !in.failed())
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
      const AttributeId mesh = attribute(in);
      if (in.failed()) return made;
      const Attribute& where = tree.attributes[mesh];
      const std::string prefix = fmt::format("{}{}", where.kind == AttributeKind::kSymbol ? "@" : "mesh", where.text);
      const std::string dimensions = list();
      const std::string replicated = list();
      const std::string unreduced = static_cast<Sdy>(code) == Sdy::kTensorShardingV1 ? std::string() : list();
      made = fmt::format("<{}, [{}]", prefix, dimensions);
      if (!replicated.empty()) made += fmt::format(", replicated={{{}}}", replicated);
      if (!unreduced.empty()) made += fmt::format(", unreduced={{{}}}", unreduced);
      made += ">";
      return made;
    }
    case Sdy::kPerValueV1:
    case Sdy::kPerValueV2: return "[" + list() + "]";
    case Sdy::kDimMapping:
    case Sdy::kTensorMapping:
    case Sdy::kOpShardingRule:
    case Sdy::kAxisRefList:
    case Sdy::kListOfAxisRefLists:
    case Sdy::kAllToAllParam:
    case Sdy::kAllToAllParamList: return "sdy...";  // rules of propagation, which hilo has no use for
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("attribute {} of dialect 'sdy'", code));
  return made;
}

}  // namespace hilo::stablehlo
