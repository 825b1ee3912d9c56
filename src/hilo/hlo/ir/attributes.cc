// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/attributes.h"

#include <cstring>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {
namespace {

uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 33);
}

uint64_t hash_bytes(std::span<const std::byte> bytes) {
  uint64_t h = bytes.size();
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    h = mix(h, word);
  }
  uint64_t rest = 0;
  if (i < bytes.size()) std::memcpy(&rest, bytes.data() + i, bytes.size() - i);
  return mix(h, rest);
}

uint64_t hash_of(const int64_t& v) { return static_cast<uint64_t>(v); }
uint64_t hash_of(const bool& v) { return v ? 1 : 0; }
uint64_t hash_of(const double& v) {
  uint64_t bits;
  std::memcpy(&bits, &v, 8);
  return bits;
}
uint64_t hash_of(const std::string& v) { return std::hash<std::string>()(v); }
uint64_t hash_of(const Shape& v) { return v.hash(); }
uint64_t hash_of(const ComputationPtr& v) {
  return v == nullptr ? 0 : mix(v->fingerprint().low, v->fingerprint().high);
}
uint64_t hash_of(const Literal& v) {
  uint64_t h = mix(v.shape().hash(), hash_bytes(v.bytes()));
  for (const Literal& e : v.elements()) h = mix(h, hash_of(e));
  return h;
}
uint64_t hash_of(const std::pair<int64_t, int64_t>& v) { return mix(hash_of(v.first), hash_of(v.second)); }
uint64_t hash_of(const SliceRange& v) { return mix(mix(hash_of(v.start), hash_of(v.limit)), hash_of(v.stride)); }
uint64_t hash_of(const PaddingDimension& v) { return mix(mix(hash_of(v.low), hash_of(v.high)), hash_of(v.interior)); }
uint64_t hash_of(const WindowDimension& v) {
  uint64_t h = v.reversal;
  for (int64_t x : {v.size, v.stride, v.padding_low, v.padding_high, v.base_dilation, v.window_dilation})
    h = mix(h, hash_of(x));
  return h;
}
template <typename T>
uint64_t hash_of(const std::vector<T>& v) {
  uint64_t h = v.size();
  for (const T& x : v) h = mix(h, hash_of(x));
  return h;
}
uint64_t hash_of(const ConvolutionDimensions& v) {
  uint64_t h = mix(hash_of(v.input_batch), hash_of(v.input_feature));
  for (int64_t x : {v.kernel_input, v.kernel_output, v.output_batch, v.output_feature}) h = mix(h, hash_of(x));
  return mix(mix(mix(h, hash_of(v.input_spatial)), hash_of(v.kernel_spatial)), hash_of(v.output_spatial));
}

bool equal(const ComputationPtr& a, const ComputationPtr& b) {
  return a == b || (a != nullptr && b != nullptr && a->fingerprint() == b->fingerprint());
}
bool equal(const std::vector<ComputationPtr>& a, const std::vector<ComputationPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return equal(x, y); });
}
bool equal(const Literal& a, const Literal& b) { return a.identical(b); }
bool equal(const double& a, const double& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <typename T>
bool equal(const T& a, const T& b) {
  return a == b;
}

/// Calls visit(member) with the static type of the field's member, for one or two attribute structs.
template <typename Visit>
auto visit_field(const AttributeField& f, Visit&& visit) {
  switch (f.kind) {
    case FieldKind::kInt64: return visit.template operator()<int64_t>();
    case FieldKind::kBool: return visit.template operator()<bool>();
    case FieldKind::kDouble: return visit.template operator()<double>();
    case FieldKind::kString: return visit.template operator()<std::string>();
    case FieldKind::kInt64List: return visit.template operator()<Int64List>();
    case FieldKind::kInt64Lists: return visit.template operator()<Int64Lists>();
    case FieldKind::kInt64Pairs: return visit.template operator()<Int64Pairs>();
    case FieldKind::kStringList: return visit.template operator()<StringList>();
    case FieldKind::kEnum: return visit.template operator()<uint8_t>();
    case FieldKind::kComputation: return visit.template operator()<ComputationPtr>();
    case FieldKind::kComputations: return visit.template operator()<std::vector<ComputationPtr>>();
    case FieldKind::kLiteral: return visit.template operator()<Literal>();
    case FieldKind::kShape: return visit.template operator()<Shape>();
    case FieldKind::kSliceRanges: return visit.template operator()<std::vector<SliceRange>>();
    case FieldKind::kPadding: return visit.template operator()<std::vector<PaddingDimension>>();
    case FieldKind::kWindow: return visit.template operator()<std::vector<WindowDimension>>();
    case FieldKind::kConvolutionDimensions: return visit.template operator()<ConvolutionDimensions>();
  }
  __builtin_unreachable();
}

uint64_t hash_of(const uint8_t& v) { return v; }

}  // namespace

bool fields_equal(std::span<const AttributeField> fields, const Attributes& a, const Attributes& b) {
  for (const AttributeField& f : fields) {
    if (!visit_field(f, [&]<typename T>() { return equal(field_value<T>(f, a), field_value<T>(f, b)); })) return false;
  }
  return true;
}

uint64_t fields_hash(std::span<const AttributeField> fields, const Attributes& attributes) {
  uint64_t h = fields.size();
  for (const AttributeField& f : fields) {
    h = mix(h, visit_field(f, [&]<typename T>() { return hash_of(field_value<T>(f, attributes)); }));
  }
  return h;
}

}  // namespace hilo::hlo
