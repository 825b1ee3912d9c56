// SPDX-License-Identifier: Apache-2.0
// Operations that StableHLO keeps for old programs: broadcast, cross-replica-sum, einsum, torch_index_select, trace.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/stablehlo/translate/collectives.h"
#include "hilo/stablehlo/translate/op_sink.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::InstructionId;
using hlo::Opcode;

/// The operand's dimensions are the last ones of the result.
Status translate_old_broadcast(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> added, op.integers("broadcast_sizes"));
  OpSink sink(op);
  const Expr x = sink.at(operand);
  if (!x.shape().is_array()) return invalid_argument(fmt::format("got {}; wanted an array", x.shape().to_string()));
  std::vector<int64_t> sizes = added, places;
  for (int64_t d = 0; d < x.shape().rank(); ++d) {
    places.push_back(std::ssize(sizes));
    sizes.push_back(x.shape().dimension(d));
  }
  return sink.define(broadcast(x, sizes, places));
}

Status translate_cross_replica_sum(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  const Shape shape = op.builder.shape(operand);
  if (!shape.is_array()) return invalid_argument(fmt::format("got {}; wanted an array", shape.to_string()));
  auto attributes = std::make_shared<hlo::AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, hlo::scalar_binary_computation(Opcode::kAdd, shape.element_type()));
  return op.add(Opcode::kAllReduce, std::vector<InstructionId>{operand}, std::move(attributes));
}

/// It only informed a profiler.
Status translate_trace(const OpContext& op) {
  if (op.operation.results.count == 0) return ok_status();
  return invalid_argument(fmt::format("got {} results; wanted none", op.operation.results.count));
}

/// Selects slices of the operand along `dim` by index: a gather. The first batch_dims dimensions of both are batch
/// dimensions.
Status translate_torch_index_select(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const int64_t dim, op.integer("dim"));
  HILO_ASSIGN_OR_RETURN(const int64_t batch, op.integer("batch_dims", 0));
  if (operands.size() != 2) return invalid_argument(fmt::format("got {} operands; wanted 2", operands.size()));
  const Shape array = op.builder.shape(operands[0]), index = op.builder.shape(operands[1]);
  if (!array.is_array() || !index.is_array() || batch < 0 || batch > dim || dim >= array.rank() || batch > index.rank())
    return invalid_argument(fmt::format("dim={} and batch_dims={} don't match {} and {}", dim, batch, array.to_string(),
                                        index.to_string()));
  auto attributes = std::make_shared<hlo::GatherAttributes>();
  const int64_t selected = index.rank() - batch;  // number of the result's dimensions that replace `dim`
  for (int64_t d = 0; d < array.rank(); ++d) {
    attributes->slice_sizes.push_back(d < batch || d == dim ? 1 : array.dimension(d));
    if (d < batch) {
      attributes->operand_batching_dims.push_back(d);
      attributes->start_indices_batching_dims.push_back(d);
    } else if (d != dim) {
      attributes->offset_dims.push_back(d < dim ? d : d - 1 + selected);
    }
  }
  attributes->collapsed_slice_dims = attributes->start_index_map = {dim};
  attributes->index_vector_dim = index.rank();
  return op.add(Opcode::kGather, operands, std::move(attributes));
}

namespace {

/// Labels of dimensions. The dimensions of "..." have negative numbers; the last one is -1.
using Labels = std::vector<int>;

struct Term {
  Expr x;
  Labels labels;
};

/// Parses the labels `ij...` of an array of this rank.
StatusOr<Labels> labels_of(std::string_view text, int64_t rank) {
  const size_t dots = text.find("...");
  const int64_t hidden = dots == std::string_view::npos ? 0 : rank - (std::ssize(text) - 3);
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == dots) {
      for (int64_t k = hidden; k > 0; --k) labels.push_back(static_cast<int>(-k));
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      labels.push_back(c);
    } else if (c != ' ') {
      return invalid_argument(fmt::format("einsum_config: unexpected '{}'; wanted letters and '...'", c));
    }
  }
  if (hidden < 0 || (rank >= 0 && std::ssize(labels) != rank))
    return invalid_argument(fmt::format("einsum_config: '{}' doesn't have labels for {} dimensions", text, rank));
  return labels;
}

bool has(const Labels& labels, int label) { return std::ranges::find(labels, label) != labels.end(); }
int64_t place_of(const Labels& labels, int label) { return std::ranges::find(labels, label) - labels.begin(); }

/// Sums over dimension `d` of the term.
void sum_out(Term& term, size_t d) {
  term.x = sum(term.x, {static_cast<int64_t>(d)});
  term.labels.erase(term.labels.begin() + d);
}

/// Takes the diagonal for each label that occurs twice.
void take_diagonals(OpSink& sink, Term& term) {
  for (size_t d = 0; d < term.labels.size(); ++d) {
    const size_t first = place_of(term.labels, term.labels[d]);
    if (first == d) continue;
    const Shape places = term.x.shape().with_element_type(ElementType::kS32);
    const Expr rows = iota(sink, places, first), columns = iota(sink, places, d);
    const Expr on = rows == columns;
    term.x = select(on, term.x, full_like(term.x, 0));
    sum_out(term, d--);
  }
}

/// Sums over the labels that occur neither in `kept` nor in `other`. An extent of 1 is removed if `other` has a larger
/// one.
void sum_own(Term& term, const Labels& kept, const Term& other) {
  for (size_t d = 0; d < term.labels.size(); ++d) {
    const int label = term.labels[d];
    const bool shared = has(other.labels, label);
    const bool stretched =
        shared && term.x.shape().dimension(d) == 1 && other.x.shape().dimension(place_of(other.labels, label)) != 1;
    if (stretched || (!shared && !has(kept, label))) sum_out(term, d--);
  }
}

/// Multiplies two terms and sums over the labels that are not in `kept`.
Term contract(OpSink& sink, const Term& left, const Term& right, const Labels& kept) {
  auto attributes = std::make_shared<hlo::DotAttributes>();
  Term product;
  for (size_t d = 0; d < left.labels.size(); ++d) {
    if (!has(right.labels, left.labels[d])) continue;
    const bool batch = has(kept, left.labels[d]);
    (batch ? attributes->lhs_batch_dimensions : attributes->lhs_contracting_dimensions).push_back(d);
    (batch ? attributes->rhs_batch_dimensions : attributes->rhs_contracting_dimensions)
        .push_back(place_of(right.labels, left.labels[d]));
    if (batch) product.labels.push_back(left.labels[d]);
  }
  for (const auto* labels : {&left.labels, &right.labels}) {
    for (const int label : *labels) {
      if (!has(left.labels, label) || !has(right.labels, label)) product.labels.push_back(label);
    }
  }
  product.x = sink.add(Opcode::kDot, {left.x, right.x}, std::move(attributes));
  return product;
}

}  // namespace

/// Translates einsum and unary_einsum: `ij,jk->ik`, `...ii->...i`.
Status translate_einsum(const OpContext& op) {
  std::string_view config = op.text("einsum_config");
  const size_t arrow = config.find("->");
  if (arrow == std::string_view::npos) return invalid_argument("einsum_config: wanted '->' before the result's labels");
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  OpSink sink(op);
  std::vector<Term> terms;
  std::string_view inputs = config.substr(0, arrow);
  for (const InstructionId operand : operands) {
    const size_t comma = std::min(inputs.find(','), inputs.size());
    Term& term = terms.emplace_back();
    term.x = sink.at(operand);
    HILO_ASSIGN_OR_RETURN(term.labels, labels_of(inputs.substr(0, comma), term.x.shape().rank()));
    inputs.remove_prefix(std::min(comma + 1, inputs.size()));
  }
  if (terms.empty() || terms.size() > 2 || !inputs.empty())
    return invalid_argument(fmt::format("einsum_config '{}' doesn't match {} operands", config, operands.size()));
  HILO_ASSIGN_OR_RETURN(const ElementType element, op.result_element());
  HILO_ASSIGN_OR_RETURN(const Labels kept,
                        labels_of(config.substr(arrow + 2), std::ssize(op.result_type().dimensions)));
  for (Term& term : terms) take_diagonals(sink, term);
  if (terms.size() == 2) {
    sum_own(terms[0], kept, terms[1]);
    sum_own(terms[1], kept, terms[0]);
  } else {
    sum_own(terms[0], kept, Term());
  }
  HILO_RETURN_IF_ERROR(sink.status());
  const Term all = terms.size() == 2 ? contract(sink, terms[0], terms[1], kept) : terms[0];
  HILO_RETURN_IF_ERROR(sink.status());
  std::vector<int64_t> order;
  for (const int label : kept) {
    if (!has(all.labels, label)) return invalid_argument("einsum_config: the result has a label that no operand has");
    order.push_back(place_of(all.labels, label));
  }
  if (all.labels.size() != kept.size()) return invalid_argument("einsum_config: the result has a label twice");
  const Expr ordered = std::ranges::is_sorted(order) ? all.x : transpose(all.x, order);
  return sink.define(convert(ordered, element));
}

}  // namespace hilo::stablehlo
