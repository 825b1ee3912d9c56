// SPDX-License-Identifier: Apache-2.0
// Samples of collectives and of ops whose result depends on the replica: programs of two replicas.
#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/ext/named_axis.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

/// One operand and one result for each of two replicas.
Sample meeting(Opcode opcode, hlo::AttributesPtr attributes, const Literal (&operands)[2],
               const Literal (&results)[2]) {
  Sample s{.opcode = opcode, .operands = {operands[0]}, .attributes = std::move(attributes), .expected = results[0]};
  s.peers = {{.operands = {operands[1]}, .expected = results[1]}};
  return s;
}

/// The operand of `replica`: small numbers of shape [rows, 3] that differ between replicas.
Literal held(const Wanted& wanted, int64_t rows, int64_t replica) {
  return small(Shape::array(wanted.type, {rows, 3}), 5 * replica + 1);
}

/// All replicas in order; if `turned`, the other one first.
template <typename T>
void set_groups(T& attributes, bool turned) {
  if (turned) attributes.replica_groups = {{1, 0}};
}

/// Concatenates x and y along the first dimension.
Literal behind_each_other(const Literal& x, const Literal& y) {
  Literal both(x.shape().with_dimensions(std::vector<int64_t>{2 * x.shape().dimension(0), x.shape().dimension(1)}));
  std::ranges::copy(x.bytes(), both.mutable_bytes().begin());
  std::ranges::copy(y.bytes(), both.mutable_bytes().begin() + static_cast<std::ptrdiff_t>(x.bytes().size()));
  return both;
}

/// The first or the second half along the first dimension.
Literal half_of(const Literal& x, int64_t which) {
  const Shape shape =
      x.shape().with_dimensions(std::vector<int64_t>{x.shape().dimension(0) / 2, x.shape().dimension(1)});
  const size_t size = x.bytes().size() / 2;
  return Literal::from_bytes(shape, x.bytes().subspan(static_cast<size_t>(which) * size, size));
}

hlo::ComputationPtr adder(ElementType type) { return must(hlo::scalar_binary_computation(Opcode::kAdd, type)); }

/// The start op of an asynchronous pair. Its result holds the operands of its op and then the results; all-reduce-start
/// returns the results only.
Sample started(Sample s, Opcode start) {
  const auto both = [&](const std::vector<Literal>& operands, const Literal& expected) {
    std::vector<Literal> elements = {operands[0], expected};
    if (start == Opcode::kCollectivePermuteStart)
      elements.insert(elements.end(), 2, Literal(Shape::scalar(ElementType::kU32)));
    return Literal::tuple(elements);
  };
  if (start != Opcode::kAllReduceStart) {
    s.expected = both(s.operands, s.expected);
    s.peers[0].expected = both(s.peers[0].operands, s.peers[0].expected);
  }
  s.opcode = start;
  if (start == Opcode::kAllGatherStart) s.declared = s.expected.shape();
  return s;
}

Samples each(Samples samples, Sample (*f)(Sample, Opcode), Opcode opcode) {
  for (Sample& s : samples) s = f(s, opcode);
  return samples;
}

Sample done(Sample s, Opcode opcode) {
  s.opcode = opcode;
  return s;
}

/// This replica's id, or its partition's.
Sample number_of_its_own(Opcode opcode, uint32_t second) {
  Sample s{.opcode = opcode, .expected = Literal::scalar<uint32_t>(0)};
  s.peers = {{.operands = {}, .expected = Literal::scalar<uint32_t>(second)}};
  return s;
}

// ---- named axes -----------------------------------------------------------------------------------------------------

template <typename T>
std::shared_ptr<T> axis(const std::function<void(T&)>& set = [](T&) {}) {
  return with<T>([&](T& a) {
    a.axis_name = "i";
    a.axis_size = 2;
    set(a);
  });
}

Sample over_axis(Opcode opcode, const Wanted& wanted, hlo::AttributesPtr attributes) {
  const Literal x = held(wanted, wanted.n, 0);
  return {.opcode = opcode, .operands = {x}, .attributes = std::move(attributes), .expected = x};
}

}  // namespace

Samples all_reduce_samples(Wanted wanted) {
  Samples samples;
  const Literal x[] = {held(wanted, wanted.n, 0), held(wanted, wanted.n, 1)};
  const Literal sum = sum_of(x[0], x[1]);
  for (const bool turned : {false, true}) {
    const auto attributes = with<hlo::AllReduceAttributes>([&](auto& a) {
      set_groups(a, turned);
      a.to_apply = adder(wanted.type);
    });
    samples.push_back(meeting(Opcode::kAllReduce, attributes, x, {sum, sum}));
  }
  return samples;
}

Samples reduce_scatter_samples(Wanted wanted) {
  Samples samples;
  const Literal x[] = {held(wanted, 2 * wanted.n, 0), held(wanted, 2 * wanted.n, 1)};
  const Literal sum = sum_of(x[0], x[1]);
  for (const bool turned : {false, true}) {
    const auto attributes = with<hlo::ReduceScatterAttributes>([&](auto& a) {
      set_groups(a, turned);
      a.dimensions = {0};
      a.to_apply = adder(wanted.type);
    });
    Sample s =
        meeting(Opcode::kReduceScatter, attributes, x, {half_of(sum, turned ? 1 : 0), half_of(sum, turned ? 0 : 1)});
    s.declared = s.expected.shape();
    samples.push_back(s);
  }
  return samples;
}

Samples all_gather_of_replicas_samples(Wanted wanted) {
  Samples samples;
  const Literal x[] = {held(wanted, wanted.n, 0), held(wanted, wanted.n, 1)};
  for (const bool turned : {false, true}) {
    const auto attributes = with<hlo::AllGatherAttributes>([&](auto& a) {
      set_groups(a, turned);
      a.dimensions = {0};
    });
    const Literal all = turned ? behind_each_other(x[1], x[0]) : behind_each_other(x[0], x[1]);
    Sample s = meeting(Opcode::kAllGather, attributes, x, {all, all});
    s.declared = all.shape();
    samples.push_back(s);
  }
  return samples;
}

Samples all_to_all_of_replicas_samples(Wanted wanted) {
  Samples samples;
  const Literal x[] = {held(wanted, 2 * wanted.n, 0), held(wanted, 2 * wanted.n, 1)};
  for (const bool turned : {false, true}) {
    const auto attributes = with<hlo::AllToAllAttributes>([&](auto& a) {
      set_groups(a, turned);
      a.dimensions = {0};
    });
    const auto result = [&](int64_t place) {  // slice `place` of the result, in the group's order
      return behind_each_other(half_of(x[turned ? 1 : 0], place), half_of(x[turned ? 0 : 1], place));
    };
    samples.push_back(meeting(Opcode::kAllToAll, attributes, x, {result(turned ? 1 : 0), result(turned ? 0 : 1)}));
  }
  return samples;
}

Samples collective_permute_samples(Wanted wanted) {
  const Literal x[] = {held(wanted, wanted.n, 0), held(wanted, wanted.n, 1)};
  const auto pairs = [](hlo::Int64Pairs list) {
    return with<hlo::CollectivePermuteAttributes>([&](auto& a) { a.source_target_pairs = std::move(list); });
  };
  return {meeting(Opcode::kCollectivePermute, pairs({{0, 1}, {1, 0}}), x, {x[1], x[0]}),
          meeting(Opcode::kCollectivePermute, pairs({{1, 0}}), x, {x[1], Literal(x[1].shape())})};
}

Samples collective_broadcast_samples(Wanted wanted) {
  const Literal x[] = {held(wanted, wanted.n, 0), held(wanted, wanted.n, 1)};
  const auto attributes = with<hlo::CollectiveAttributes>([](auto& a) { set_groups(a, true); });
  return {meeting(Opcode::kCollectiveBroadcast, attributes, x, {x[1], x[1]})};
}

Samples started_collective_samples(Opcode opcode, Wanted wanted) {
  switch (opcode) {
    case Opcode::kAllGatherStart: return each(all_gather_of_replicas_samples(wanted), started, opcode);
    case Opcode::kAllReduceStart: return each(all_reduce_samples(wanted), started, opcode);
    case Opcode::kCollectivePermuteStart: return each(collective_permute_samples(wanted), started, opcode);
    case Opcode::kAllGatherDone: return each(all_gather_of_replicas_samples(wanted), done, opcode);
    case Opcode::kAllReduceDone: return each(all_reduce_samples(wanted), done, opcode);
    case Opcode::kCollectivePermuteDone: return each(collective_permute_samples(wanted), done, opcode);
    default: throw std::logic_error("not a started collective");
  }
}

Samples replica_id_samples(Wanted wanted) {
  if (wanted.type != ElementType::kU32) return {};
  return {number_of_its_own(Opcode::kReplicaId, 1)};
}

Samples partition_id_samples(Wanted wanted) {
  if (wanted.type != ElementType::kU32) return {};
  return {number_of_its_own(Opcode::kPartitionId, 0)};  // a program has one partition
}

Samples psum_samples(Wanted wanted) { return {over_axis(hlo::kExtPsum, wanted, axis<hlo::NamedAxisAttributes>())}; }
Samples pmax_samples(Wanted wanted) { return {over_axis(hlo::kExtPmax, wanted, axis<hlo::NamedAxisAttributes>())}; }
Samples pmin_samples(Wanted wanted) { return {over_axis(hlo::kExtPmin, wanted, axis<hlo::NamedAxisAttributes>())}; }

Samples all_gather_samples(Wanted wanted) {
  Samples samples;
  for (const int64_t dimension : {0, 1, 2}) {
    const auto attributes =
        axis<hlo::NamedAllGatherAttributes>([&](hlo::NamedAllGatherAttributes& a) { a.dimension = dimension; });
    Sample s = over_axis(hlo::kExtAllGather, wanted, attributes);
    std::vector<int64_t> sizes = {wanted.n, 3};
    sizes.insert(sizes.begin() + dimension, 2);
    s.expected = Literal(Shape::array(wanted.type, sizes));  // only its shape counts: alone the op has no value
    samples.push_back(s);
  }
  return samples;
}

Samples ppermute_samples(Wanted wanted) {
  return {over_axis(hlo::kExtPpermute, wanted, axis<hlo::PpermuteAttributes>([](hlo::PpermuteAttributes& a) {
                      a.permutation = {{0, 1}, {1, 0}};
                    }))};
}

/// One slice per member along the first dimension.
Sample over_slices(Opcode opcode, const Wanted& wanted, hlo::AttributesPtr attributes, std::vector<int64_t> result) {
  return {.opcode = opcode,
          .operands = {small(Shape::array(wanted.type, {2, wanted.n}), 1)},
          .attributes = std::move(attributes),
          .expected = Literal(Shape::array(wanted.type, result))};  // only its shape counts, as above
}

Samples psum_scatter_samples(Wanted wanted) {
  return {over_slices(hlo::kExtPsumScatter, wanted, axis<hlo::PsumScatterAttributes>(), {wanted.n})};
}

Samples all_to_all_samples(Wanted wanted) {
  return {over_slices(hlo::kExtAllToAll, wanted, axis<hlo::NamedAllToAllAttributes>(), {2, wanted.n}),
          over_slices(hlo::kExtAllToAll, wanted,
                      axis<hlo::NamedAllToAllAttributes>([](hlo::NamedAllToAllAttributes& a) { a.concat = 1; }),
                      {wanted.n, 2})};
}

Samples axis_index_samples(Wanted wanted) {
  if (wanted.type != ElementType::kS32) return {};
  Sample s{.opcode = hlo::kExtAxisIndex, .attributes = axis<hlo::NamedAxisAttributes>()};
  s.expected = Literal(Shape::scalar(ElementType::kS32));
  return {s};
}

}  // namespace hilo::tests
