// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/run_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "hilo/backend/combine.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"
#include "hilo/hlo/ops/collective.h"

namespace hilo {
namespace {

using hlo::attributes_of;
using hlo::Int64List;
using hlo::Opcode;

/// Returns an id for the collective that is the same in every process that runs the program, independent of source
/// locations.
int64_t collective_id(const hlo::Instruction& i) {
  return static_cast<int64_t>(TextHash()(std::string(i.def().name) + " " + i.name) >> 1);
}

/// The parts of a dimension: the array as [outer, parts, inner bytes].
struct Parts {
  int64_t outer = 1, parts = 1, inner = 0;
};

Parts parts_of(const Shape& whole, int64_t dimension, int64_t parts) {
  Parts p{1, parts, element_size_bytes(whole.element_type())};
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (d < dimension) p.outer *= whole.dimension(d);
    else p.inner *= d == dimension ? whole.dimension(d) / parts : whole.dimension(d);
  }
  return p;
}

/// Copies between the array and its contiguous parts: [outer, parts, inner] <-> [parts, outer, inner].
void to_blocks(const Parts& p, const std::byte* array, std::byte* blocks) {
  for (int64_t k = 0; k < p.parts; ++k) {
    for (int64_t o = 0; o < p.outer; ++o) {
      std::memcpy(blocks, array + (o * p.parts + k) * p.inner, p.inner);
      blocks += p.inner;
    }
  }
}
void from_blocks(const Parts& p, const std::byte* blocks, std::byte* array) {
  for (int64_t k = 0; k < p.parts; ++k) {
    for (int64_t o = 0; o < p.outer; ++o) {
      std::memcpy(array + (o * p.parts + k) * p.inner, blocks, p.inner);
      blocks += p.inner;
    }
  }
}

/// Runs one collective for this replica.
class Runner {
 public:
  Runner(const CollectiveCall& call, Communicator* communicator, const RunComputation& run)
      : call_(call),
        i_(call.instruction),
        communicator_(communicator),
        run_(run),
        rank_(communicator == nullptr ? 0 : communicator->rank()),
        size_(communicator == nullptr ? 1 : communicator->size()),
        id_(collective_id(call.instruction)),
        what_(describe(call.instruction)) {}

  Status run() {
    if (i_.opcode == Opcode::kReplicaId) return store_id(rank_);
    if (i_.opcode == Opcode::kPartitionId) return store_id(0);
    if (i_.opcode == Opcode::kCollectivePermute) return permute();
    HILO_ASSIGN_OR_RETURN(group_, hlo::group_of(i_, rank_, size_));
    HILO_RETURN_IF_ERROR(hlo::check_members(i_, call_.operands, group_.size()));
    if (i_.opcode == Opcode::kAllToAll && attributes_of<hlo::AllToAllAttributes>(i_).dimensions.empty())
      return exchange_operands();
    if (group_.size() > 1 && can_join()) return all_reduce_together();
    for (size_t k = 0; k < call_.operands.size(); ++k) {
      if (group_.size() < 2) copy_alone(k, !group_.empty());
      else HILO_RETURN_IF_ERROR(run_operand(k));
    }
    return ok_status();
  }

 private:
  DeviceBytes in(size_t k) const {
    return {static_cast<const std::byte*>(call_.buffers[k]), static_cast<size_t>(call_.operands[k].byte_size())};
  }
  MutableDeviceBytes out(size_t k) const {
    return {static_cast<std::byte*>(call_.buffers[call_.operands.size() + k]),
            static_cast<size_t>(call_.results[k].byte_size())};
  }
  Meeting rendezvous() const { return {id_, group_, what_}; }
  int64_t members() const { return std::ssize(group_); }

  Status store_id(int64_t id) {
    const auto value = static_cast<uint32_t>(id);
    std::memcpy(call_.buffers[0], &value, sizeof value);
    return ok_status();
  }

  void copy_alone(size_t k, bool participates) {
    if (in(k).empty()) return;
    if (participates) std::memcpy(out(k).data(), in(k).data(), in(k).size());
    else std::memset(out(k).data(), 0, out(k).size());
  }

  Status run_operand(size_t k) {
    switch (i_.opcode) {
      case Opcode::kAllReduce:
        return with_reduction(k, attributes_of<hlo::AllReduceAttributes>(i_).to_apply, [&](const Reduction& reduction) {
          return communicator_->all_reduce(rendezvous(), in(k), out(k), reduction);
        });
      case Opcode::kReduceScatter: return reduce_scatter(k);
      case Opcode::kAllGather: return all_gather(k);
      case Opcode::kAllToAll: return all_to_all(k);
      case Opcode::kCollectiveBroadcast: return communicator_->broadcast(rendezvous(), in(k), out(k));
      default: return internal_error(what_ + " isn't a collective");
    }
  }

  /// Whether one rendezvous serves several arrays: small arrays of one type that are summed.
  bool can_join() const {
    constexpr int64_t kMaxBytes = 1 << 20;
    int64_t bytes = 0;
    for (const Shape& operand : call_.operands) {
      if (operand.element_type() != call_.operands[0].element_type()) return false;
      bytes += operand.byte_size();
    }
    return i_.opcode == Opcode::kAllReduce && call_.operands.size() > 1 && bytes > 0 && bytes <= kMaxBytes;
  }

  Status all_reduce_together() {
    std::vector<std::byte> all;
    for (size_t k = 0; k < call_.operands.size(); ++k) {
      const DeviceBytes own = in(k);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::vector<std::byte> sums(all.size());
    HILO_RETURN_IF_ERROR(with_reduction(
        0, attributes_of<hlo::AllReduceAttributes>(i_).to_apply,
        [&](const Reduction& reduction) { return communicator_->all_reduce(rendezvous(), all, sums, reduction); }));
    auto from = sums.cbegin();
    for (size_t k = 0; k < call_.operands.size(); ++k) {
      const std::ptrdiff_t size = out(k).size();
      std::copy(from, from + size, out(k).begin());
      from += size;
    }
    return ok_status();
  }

  Status reduce_scatter(size_t k) {
    const auto& attributes = attributes_of<hlo::ReduceScatterAttributes>(i_);
    const Parts parts = parts_of(call_.operands[k], attributes.dimension(), members());
    return with_reduction(k, attributes.to_apply, [&](const Reduction& reduction) {
      if (parts.outer == 1) return communicator_->reduce_scatter(rendezvous(), in(k), out(k), reduction);
      std::vector<std::byte> blocks(in(k).size());
      to_blocks(parts, in(k).data(), blocks.data());
      return communicator_->reduce_scatter(rendezvous(), blocks, out(k), reduction);
    });
  }

  Status all_gather(size_t k) {
    const Parts parts = parts_of(call_.results[k], attributes_of<hlo::AllGatherAttributes>(i_).dimension(), members());
    if (parts.outer == 1) return communicator_->all_gather(rendezvous(), in(k), out(k));
    std::vector<std::byte> blocks(out(k).size());
    HILO_RETURN_IF_ERROR(communicator_->all_gather(rendezvous(), in(k), blocks));
    from_blocks(parts, blocks.data(), out(k).data());
    return ok_status();
  }

  Status all_to_all(size_t k) {
    const Int64List& dimensions = attributes_of<hlo::AllToAllAttributes>(i_).dimensions;
    const Parts parts = parts_of(call_.operands[k], dimensions[0], members());
    if (parts.outer == 1) return communicator_->all_to_all(rendezvous(), in(k), out(k));
    std::vector<std::byte> blocks(in(k).size()), got(in(k).size());
    to_blocks(parts, in(k).data(), blocks.data());
    HILO_RETURN_IF_ERROR(communicator_->all_to_all(rendezvous(), blocks, got));
    from_blocks(parts, got.data(), out(k).data());
    return ok_status();
  }

  /// Sends operand j to member j and receives result j from it.
  Status exchange_operands() {
    if (group_.size() < 2) {
      for (size_t k = 0; k < call_.operands.size(); ++k) copy_alone(k, true);
      return ok_status();
    }
    const size_t block = in(0).size();
    std::vector<std::byte> blocks(block * group_.size()), got(blocks.size());
    for (size_t k = 0; k < group_.size() && block != 0; ++k)
      std::memcpy(blocks.data() + k * block, in(k).data(), block);
    HILO_RETURN_IF_ERROR(communicator_->all_to_all(rendezvous(), blocks, got));
    for (size_t k = 0; k < group_.size() && block != 0; ++k) std::memcpy(out(k).data(), got.data() + k * block, block);
    return ok_status();
  }

  Status permute() {
    HILO_ASSIGN_OR_RETURN(const hlo::PermutePartners partners, hlo::permute_partners(i_, rank_, size_));
    const bool is_alone =
        (partners.source == rank_ && partners.target == rank_) || (partners.source < 0 && partners.target < 0);
    if (!is_alone) group_ = senders_and_receivers();
    for (size_t k = 0; k < call_.operands.size(); ++k) {
      if (is_alone) copy_alone(k, partners.source >= 0);
      else HILO_RETURN_IF_ERROR(communicator_->permute(rendezvous(), partners.source, partners.target, in(k), out(k)));
    }
    return ok_status();
  }

  /// Returns the replicas with a partner other than themselves, ascending.
  Int64List senders_and_receivers() const {
    Int64List all;
    for (const auto& [source, target] : attributes_of<hlo::CollectivePermuteAttributes>(i_).source_target_pairs) {
      if (source != target) all.insert(all.end(), {source, target});
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// Calls `use` with the function that applies the reducer to elements of operand k.
  template <typename Use>
  Status with_reduction(size_t k, const hlo::ComputationPtr& reducer, Use&& use) {
    const hlo::ReducerKind kind = reducer->reducer_kind();
    const ElementType type = call_.operands[k].element_type();
    const int64_t width = element_size_bytes(type);
    if (const CombineFunction function = combine_function(kind, type)) {
      return use(Reduction{kind, type, [&](std::byte* accumulator, const std::byte* more, int64_t bytes) {
                             function(accumulator, more, bytes / width);
                             return ok_status();
                           }});
    }
    const Shape scalar = Shape::scalar(type);
    return use(Reduction{hlo::ReducerKind::kGeneric, type,
                         [&](std::byte* accumulator, const std::byte* more, int64_t bytes) -> Status {
                           const size_t size = width;
                           for (int64_t at = 0; at < bytes; at += width) {
                             const Literal x = Literal::from_bytes(scalar, {accumulator + at, size});
                             const Literal y = Literal::from_bytes(scalar, {more + at, size});
                             const Literal* const arguments[] = {&x, &y};
                             HILO_ASSIGN_OR_RETURN(const Literal folded, run_(*reducer, arguments));
                             std::memcpy(accumulator + at, folded.bytes().data(), size);
                           }
                           return ok_status();
                         }});
  }

  const CollectiveCall& call_;
  const hlo::Instruction& i_;
  Communicator* communicator_;
  const RunComputation& run_;
  int64_t rank_, size_;
  int64_t id_;
  std::string what_;
  Int64List group_;
};

/// Returns the value of a header attribute that must be a positive number; nullopt if it is missing.
StatusOr<std::optional<int64_t>> header_number(const hlo::Module& module, std::string_view key) {
  for (const auto& [name, value] : module.other_attributes) {
    if (name != key) continue;
    int64_t number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc() || end != value.data() + value.size() || number < 1) {
      return invalid_argument(
          fmt::format("module '{}': {}={}; wanted a number above 0", module.name, key, quote(value)));
    }
    return std::optional(number);
  }
  return std::optional<int64_t>();
}

std::vector<Shape> operand_shapes(const hlo::Computation& owner, const hlo::Instruction& i) {
  std::vector<Shape> shapes;
  for (hlo::InstructionId id : i.operands) shapes.push_back(owner.instruction(id).shape);
  return shapes;
}

Status check_collective(const hlo::Computation& owner, const hlo::Instruction& i, int64_t replica_count) {
  if (i.opcode == Opcode::kCollectivePermute) return hlo::permute_partners(i, 0, replica_count).status();
  for (int64_t replica = 0; replica < replica_count; ++replica) {
    HILO_ASSIGN_OR_RETURN(const Int64List group, hlo::group_of(i, replica, replica_count));
    if (group.empty()) continue;
    return hlo::check_members(i, operand_shapes(owner, i), group.size());  // all groups have the same size
  }
  return ok_status();
}

}  // namespace

Status run_collective(const CollectiveCall& call, Communicator* communicator, const RunComputation& run) {
  return Runner(call, communicator, run).run();
}

hlo::CollectiveFunction collective_function(Communicator* communicator, RunComputation run) {
  return [communicator, run = std::move(run)](const hlo::Instruction& i,
                                              std::span<const Literal* const> operands) -> StatusOr<Literal> {
    std::vector<Shape> shapes, result_shapes;
    std::vector<void*> buffers;
    for (const Literal* operand : operands) {
      shapes.push_back(operand->shape());
      buffers.push_back(const_cast<std::byte*>(operand->bytes().data()));
    }
    std::vector<Literal> results;
    for (const Shape& leaf : i.shape.leaves()) {
      result_shapes.push_back(leaf.with_default_layout());
      HILO_ASSIGN_OR_RETURN(Literal result, Literal::make(result_shapes.back()));
      results.push_back(std::move(result));
    }
    for (Literal& result : results) buffers.push_back(result.mutable_bytes().data());
    HILO_RETURN_IF_ERROR(run_collective({i, shapes, result_shapes, buffers.data()}, communicator, run));
    return i.shape.is_tuple() ? Literal::tuple(std::move(results)) : std::move(results[0]);
  };
}

namespace {

/// Whether an instruction reads partition ids or communicates between partitions.
bool depends_on_partitions(const hlo::Instruction& i) {
  if (i.opcode == Opcode::kPartitionId) return true;
  if (i.opcode == Opcode::kCollectivePermute)
    return hlo::attributes_of<hlo::CollectivePermuteAttributes>(i).channel_id != 0;
  if (!hlo::is_collective(i.opcode)) return false;
  const auto& collective = hlo::attributes_of<hlo::CollectiveAttributes>(i);
  return collective.channel_id != 0 || collective.use_global_device_ids;
}

/// Rejects programs that are already partitioned. A program with sharding annotations is one program on one device.
Status check_whole(const hlo::Module& module, int64_t partitions) {
  for (const hlo::ComputationPtr& computation : computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (!depends_on_partitions(i)) continue;
      return unimplemented(fmt::format(
          "module '{}': num_partitions={}: {} communicates between partitions: partitioned programs are not "
          "implemented in this version. Hint: replica_count={}",
          module.name, partitions, describe(i), partitions));
    }
  }
  return ok_status();
}

}  // namespace

StatusOr<int64_t> replica_count_of(const hlo::Module& module, int64_t requested) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int64_t> partitions, header_number(module, "num_partitions"));
  if (partitions && *partitions > 1) HILO_RETURN_IF_ERROR(check_whole(module, *partitions));
  HILO_ASSIGN_OR_RETURN(const std::optional<int64_t> declared, header_number(module, "replica_count"));
  if (requested < 1) return invalid_argument(fmt::format("replica_count: got {}; wanted a number above 0", requested));
  if (declared && requested != 1 && *declared != requested) {
    return invalid_argument(
        fmt::format("module '{}': replica_count={}, but {} replicas are requested", module.name, *declared, requested));
  }
  return declared.value_or(requested);
}

namespace {

/// Returns the attributes with the groups of a collective, or the pairs of a permute, that contain replica 0 alone.
hlo::AttributesPtr alone(const hlo::Instruction& i) {
  std::shared_ptr<hlo::Attributes> attributes = i.def().attributes.copy(*i.attributes);
  if (i.opcode == Opcode::kCollectivePermute || i.opcode == Opcode::kCollectivePermuteStart) {
    auto& pairs = static_cast<hlo::CollectivePermuteAttributes&>(*attributes).source_target_pairs;
    std::erase_if(pairs, [](const auto& pair) { return pair.first != 0 || pair.second != 0; });
    return attributes;
  }
  auto& groups = static_cast<hlo::CollectiveAttributes&>(*attributes).replica_groups;
  const bool participates = groups.empty() || std::ranges::any_of(groups, [](const Int64List& group) {
                              return std::ranges::find(group, 0) != group.end();
                            });
  if (participates) groups.clear();
  return attributes;
}

StatusOr<hlo::ComputationPtr> with_collectives_alone(const hlo::ComputationPtr& source) {
  const auto meets = [](const hlo::Instruction& i) {
    return hlo::is_collective(i.opcode) || i.opcode == Opcode::kAllReduceStart || i.opcode == Opcode::kAllGatherStart ||
           i.opcode == Opcode::kCollectivePermuteStart;
  };
  if (std::ranges::none_of(source->instructions(), meets)) return source;
  hlo::ComputationDraft draft(source->name());
  for (const hlo::Instruction& i : source->instructions()) {
    const hlo::InstructionId id = draft.append_copy(i, i.operands);
    if (meets(i)) draft.mutable_instruction(id).attributes = alone(i);
  }
  return std::move(draft).finish(source->root_id());
}

}  // namespace

StatusOr<int64_t> make_only_replica(hlo::Module& module) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int64_t> declared, header_number(module, "replica_count"));
  if (declared.value_or(1) == 1) return 1;
  std::erase_if(module.other_attributes, [](const auto& attribute) { return attribute.first == "replica_count"; });
  HILO_RETURN_IF_ERROR(rewrite_computations(module, with_collectives_alone).status());
  return *declared;
}

Status check_collectives(const hlo::Module& module, int64_t replica_count) {
  for (const hlo::ComputationPtr& computation : computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (!hlo::is_collective(i.opcode)) continue;
      if (const Status status = check_collective(*computation, i, replica_count); !status.ok())
        return status.with_context(describe(i));
    }
  }
  return ok_status();
}

bool depends_on_replicas(const hlo::Module& module) {
  for (const hlo::ComputationPtr& computation : computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (hlo::differs_between_replicas(i.opcode)) return true;
    }
  }
  return false;
}

}  // namespace hilo
